import { useState } from 'react'
import { type OpenTurn, PlatformError, type SessionId, type SessionView } from '@parley/contracts'
import { Button } from '../ui/button.tsx'
import { messageOf } from '../ui/message-of.ts'
import { Notice } from '../ui/notice.tsx'
import { Question } from '../ui/question.tsx'
import { useRemoveSession, useRenameSession } from './use-sessions.ts'

const LONGEST_TITLE = 200

export function RenameForm({ session, onClose }: { session: SessionView; onClose: () => void }) {
  const [title, setTitle] = useState(session.title ?? '')
  const rename = useRenameSession(session.sessionId)
  const save = () => {
    const wanted = title.trim()
    if (wanted === '' || rename.isPending) return
    if (wanted === session.title) onClose()
    else rename.mutate(wanted, { onSuccess: onClose })
  }
  return (
    <form
      className="flex flex-col gap-2 px-3 pt-1 pb-3"
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <input
        aria-label="Title"
        autoFocus
        autoComplete="off"
        maxLength={LONGEST_TITLE}
        value={title}
        onChange={(event) => setTitle(event.target.value)}
        onFocus={(event) => event.target.select()}
        className="border-edge focus:border-accent min-h-9 w-full rounded-md border bg-transparent px-2 text-sm outline-offset-0 max-sm:min-h-11"
      />
      <div className="flex gap-2">
        <Button type="submit" look="main" disabled={title.trim() === ''} aria-disabled={rename.isPending}>
          Save
        </Button>
        <Button look="bare" onClick={onClose}>
          Cancel
        </Button>
      </div>
      {rename.error && <Notice>{messageOf(rename.error)}</Notice>}
    </form>
  )
}

interface RemoveQuestionProps {
  readonly sessionId: SessionId
  readonly title: string
  readonly onClose: () => void
}

export function RemoveQuestion({ sessionId, title, onClose }: RemoveQuestionProps) {
  const remove = useRemoveSession(sessionId)
  return (
    <div className="px-3 pt-1 pb-3">
      <Question
        label={`Delete ${title}`}
        yes="Delete for good"
        no="Cancel"
        doing={remove}
        reasonOf={reasonOf}
        onClose={onClose}
      >
        <p>Delete this session and all its messages?</p>
      </Question>
    </div>
  )
}

const reasonOf = (failure: Error) =>
  failure instanceof PlatformError && failure.code === 'session_busy'
    ? 'An answer is running in this session. Stop it first, then delete the session.'
    : messageOf(failure)

const MARKS: Record<OpenTurn['state'], { readonly says: string; readonly look: string }> = {
  running: { says: 'running', look: 'bg-accent animate-breathe' },
  waiting: { says: 'waiting for you', look: 'bg-accent outline-accent outline outline-offset-2' },
  interrupted: { says: 'interrupted', look: 'bg-alarm' },
}

/** The state of a session's open turn, as a dot. */
export function TurnMark({ state }: { state: OpenTurn['state'] }) {
  const { says, look } = MARKS[state]
  return (
    <span title={says} className={`mx-0.5 size-1.5 shrink-0 self-center rounded-full ${look}`}>
      <span className="sr-only">{says}</span>
    </span>
  )
}
