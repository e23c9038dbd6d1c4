import type { SessionView } from '@parley/contracts'
import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import { messageOf } from '../ui/message-of.ts'
import { Notice } from '../ui/notice.tsx'
import { useRenameSession } from './use-session-changes.ts'

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
