import { Button } from '../ui/button.tsx'
import type { Outgoing } from './outbox.ts'
import { Entry } from './turn-view.tsx'

interface OutgoingViewProps {
  readonly outgoing: Outgoing
  /** Given where it may be sent again. */
  readonly onSendAgain: (() => void) | undefined
  readonly onDiscard: () => void
}

/** A message that the transcript does not hold yet. */
export function OutgoingView({ outgoing, onSendAgain, onDiscard }: OutgoingViewProps) {
  const { text, state, reason } = outgoing
  return (
    <Entry role="user" name="You" text={text} busy={state === 'sending'}>
      {state === 'failed' ? (
        <div role="alert" className="text-sm">
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <span className="text-alarm">Not sent —</span>
            {onSendAgain && <Button onClick={onSendAgain}>Try again</Button>}
            <Button look="bare" onClick={onDiscard}>
              Discard
            </Button>
          </p>
          {reason && <p className="text-soft mt-1">{reason}</p>}
        </div>
      ) : (
        <p className="animate-late text-soft text-sm">Sending…</p>
      )}
    </Entry>
  )
}
