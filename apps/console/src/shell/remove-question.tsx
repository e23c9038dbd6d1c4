import { PlatformError, type SessionId } from '@parley/contracts'
import { messageOf } from '../ui/message-of.ts'
import { Question } from '../ui/question.tsx'
import { useRemoveSession } from './use-session-changes.ts'

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
        no="Keep it"
        doing={remove}
        reasonOf={reasonOf}
        onClose={onClose}
      >
        <p>Delete this session? Everything that was said in it goes too.</p>
      </Question>
    </div>
  )
}

const reasonOf = (failure: Error) =>
  failure instanceof PlatformError && failure.code === 'session_busy'
    ? 'An answer is under way in this session. Stop it first, then delete the session.'
    : messageOf(failure)
