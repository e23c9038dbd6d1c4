import { useState } from 'react'
import type { OpenTurn, SessionId, SessionView } from '@parley/contracts'
import { getErrorMessage, hasErrorCode } from '../ui/error-message.ts'
import { ConfirmForm } from '../ui/confirm-form.tsx'
import { useRemoveSession, useRenameSession } from './use-sessions.ts'
import { ErrorNotice } from '../ui/notice.tsx'
import { Form, FormButtons } from '../ui/form.tsx'

const MAX_TITLE_LENGTH = 200

export function RenameSessionForm({ session, onClose }: { session: SessionView; onClose: () => void }) {
  const [title, setTitle] = useState(session.title ?? '')
  const rename = useRenameSession(session.sessionId)
  const save = () => {
    const newTitle = title.trim()
    if (newTitle === '' || rename.isPending) return
    if (newTitle === session.title) onClose()
    else rename.mutate(newTitle, { onSuccess: onClose })
  }
  return (
    <Form className="flex flex-col gap-2 px-3 pt-1 pb-3" onSubmit={save}>
      <input
        aria-label="Title"
        autoFocus
        autoComplete="off"
        maxLength={MAX_TITLE_LENGTH}
        value={title}
        onChange={(event) => setTitle(event.target.value)}
        onFocus={(event) => event.target.select()}
        className="border-edge focus:border-accent min-h-9 w-full rounded-md border bg-transparent px-2 text-sm outline-offset-0 max-sm:min-h-11"
      />
      <FormButtons disabled={title.trim() === ''} aria-disabled={rename.isPending} onCancel={onClose}>
        Save
      </FormButtons>
      <ErrorNotice error={rename.error} />
    </Form>
  )
}

interface RemoveSessionFormProps {
  readonly sessionId: SessionId
  readonly title: string
  readonly onClose: () => void
}

export function RemoveSessionForm({ sessionId, title, onClose }: RemoveSessionFormProps) {
  const remove = useRemoveSession(sessionId)
  return (
    <div className="px-3 pt-1 pb-3">
      <ConfirmForm
        label={`Delete ${title}`}
        yes="Delete permanently"
        action={remove}
        describeError={describeError}
        onClose={onClose}
      >
        <p>Delete this session and all its messages?</p>
      </ConfirmForm>
    </div>
  )
}

const describeError = (failure: Error) =>
  hasErrorCode(failure, 'session_busy')
    ? 'An answer is running in this session. Stop it first, then delete the session.'
    : getErrorMessage(failure)

const TURN_MARKS: Record<OpenTurn['state'], { readonly label: string; readonly className: string }> = {
  running: { label: 'running', className: 'bg-accent animate-breathe' },
  waiting: { label: 'waiting for you', className: 'bg-accent outline-accent outline outline-offset-2' },
  interrupted: { label: 'interrupted', className: 'bg-alarm' },
}

export function TurnMark({ state }: { state: OpenTurn['state'] }) {
  const { label, className } = TURN_MARKS[state]
  return (
    <span title={label} className={`mx-0.5 size-1.5 shrink-0 self-center rounded-full ${className}`}>
      <span className="sr-only">{label}</span>
    </span>
  )
}
