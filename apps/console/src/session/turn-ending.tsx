import type { TranscriptTurn } from '@parley/api-client'
import { type ReactNode, useRef } from 'react'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { useFocusAfter } from '../ui/use-focus-after.ts'
import { focusMessageBoxByKeys } from './message-box.ts'
import type { Asking } from './session-state.ts'

export interface TurnEndingProps {
  readonly turn: TranscriptTurn
  readonly asking: Asking
  /** Given where the turn is the last and its session goes on. */
  readonly again: Again | undefined
}

interface Again {
  readonly onGoOn: () => void
  readonly onSendAgain: () => void
}

/** How a turn ended, where that was not with its answer, and what can be done about it. */
export function TurnEnding({ turn, asking, again }: TurnEndingProps) {
  const { state, error, parts } = turn
  const ways = again && <WaysOn again={again} asking={asking} />
  switch (state) {
    case 'running':
    case 'waiting':
    case 'completed':
      return null
    case 'cancelled':
      return <Aside action={parts.at(-1)?.kind !== 'text' && ways}>{stoppedInWords(turn)}</Aside>
    case 'max_tokens':
      return <Aside>Cut off: the answer reached its longest allowed length.</Aside>
    case 'interrupted':
      return <Notice action={ways}>{INTERRUPTED}</Notice>
    case 'error':
      return (
        <Notice action={error?.retryable !== false && ways}>
          {error && error.code !== 'internal' ? error.message : INTERRUPTED}
        </Notice>
      )
    case 'unanswered':
      return <Aside action={ways}>No answer was given.</Aside>
    default:
      return state satisfies never
  }
}

/** In a call it is spoken over; what was typed has a turn of its own, and is stopped. */
function stoppedInWords({ question, parts }: TranscriptTurn): string {
  if (question?.turnId !== undefined) return 'Stopped.'
  return parts.some(({ kind }) => kind === 'text')
    ? 'Interrupted here.'
    : 'Interrupted before a word of it was heard.'
}

const INTERRUPTED = 'This answer was interrupted.'

function WaysOn({ again: { onGoOn, onSendAgain }, asking }: { again: Again; asking: Asking }) {
  const box = useRef<HTMLDivElement>(null)
  useFocusAfter(box, focusMessageBoxByKeys)
  const isAsked = asking.kind === 'asked'
  return (
    <div ref={box} className="flex flex-col gap-2">
      <div className="flex flex-wrap gap-2">
        <Button title="Go on from what is kept of this answer" aria-disabled={isAsked} onClick={onGoOn}>
          Go on
        </Button>
        <Button
          title="Send the same message once more"
          aria-disabled={isAsked}
          onClick={() => isAsked || onSendAgain()}
        >
          Send again
        </Button>
      </div>
      {asking.kind === 'refused' && (
        <p role="alert" className="text-alarm">
          {asking.reason}
        </p>
      )}
    </div>
  )
}

function Aside({ children, action }: { children: ReactNode; action?: ReactNode }) {
  return (
    <div className="text-soft flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
      <p>{children}</p>
      {action}
    </div>
  )
}
