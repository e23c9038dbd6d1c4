import { PlatformError, type SessionId } from '@parley/contracts'
import { Button } from '../ui/button.tsx'
import { messageOf } from '../ui/message-of.ts'
import { Notice } from '../ui/notice.tsx'
import { useRemoveSession } from './use-session-changes.ts'

interface RemoveQuestionProps {
  readonly sessionId: SessionId
  readonly title: string
  readonly onClose: () => void
}

export function RemoveQuestion({ sessionId, title, onClose }: RemoveQuestionProps) {
  const remove = useRemoveSession(sessionId)
  return (
    <div role="group" aria-label={`Delete ${title}`} className="flex flex-col gap-2 px-3 pt-1 pb-3 text-sm">
      <p>Delete this session? Everything that was said in it goes too.</p>
      <div className="flex flex-wrap gap-2">
        <Button
          look="alarm"
          aria-disabled={remove.isPending}
          onClick={() => remove.isPending || remove.mutate()}
        >
          Delete for good
        </Button>
        <Button look="bare" autoFocus onClick={onClose}>
          Keep it
        </Button>
      </div>
      {remove.error && <Notice>{reasonOf(remove.error)}</Notice>}
    </div>
  )
}

const reasonOf = (failure: Error) =>
  failure instanceof PlatformError && failure.code === 'session_busy'
    ? 'An answer is under way in this session. Stop it first, then delete the session.'
    : messageOf(failure)
