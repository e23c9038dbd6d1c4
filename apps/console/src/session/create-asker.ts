import type { ApiClient, WaitingCall } from '@parley/api-client'
import {
  type ApprovalDecision,
  type CallId,
  PlatformError,
  type SessionEvent,
  type SessionId,
} from '@parley/contracts'
import { messageOf } from '../ui/message-of.ts'
import { type Asking, NOTHING_ASKED, type OpenSession } from './session-state.ts'

interface AskerHost {
  readonly client: ApiClient
  readonly sessionId: SessionId
  readonly opened: () => OpenSession | undefined
  readonly change: (part: Partial<OpenSession>) => void
  readonly onAsked: () => void
  /** Called where what is shown is no longer how it stands. */
  readonly onOvertaken: (asking: Asking) => void
}

/** What a person asks of a turn that stands still, one thing at a time. */
export function createAsker({ client, sessionId, opened, change, onAsked, onOvertaken }: AskerHost) {
  let allowed: CallId | undefined

  const ask = async (request: () => Promise<unknown>) => {
    if (opened()?.asking.kind === 'asked') return
    change({ asking: { kind: 'asked' } })
    try {
      await request()
      onAsked()
    } catch (failure) {
      if (isOvertaken(failure)) onOvertaken(OVERTAKEN)
      else change({ asking: { kind: 'refused', reason: messageOf(failure) } })
    }
  }

  return {
    /** Goes on with the last turn, which came to no answer. */
    goOn: () => void ask(() => client.sessions.continue(sessionId)),

    /** An answer to the call as it is shown; to one that has changed meanwhile it is none. */
    decide: ({ callId, inputHash }: Pick<WaitingCall, 'callId' | 'inputHash'>, decision: ApprovalDecision) =>
      void ask(() => {
        allowed = decision === 'refuse' ? undefined : callId
        return client.sessions.decide({
          sessionId,
          callId,
          decision,
          ...(inputHash !== undefined && { inputHash }),
        })
      }),

    /** What stands asked after an event. */
    after(event: SessionEvent, before: Asking, movesTurn: boolean): Asking {
      if (event.type === 'agent:tool_result') allowed = undefined
      if (!movesTurn) return before
      if (event.type === 'agent:approval_requested') {
        const isAskedAgain = event.callId === allowed
        allowed = undefined
        if (isAskedAgain) return CHANGED
      }
      return before.kind === 'overtaken' && event.type !== 'session:turn_started' ? before : NOTHING_ASKED
    },
  }
}

const OVERTAKEN: Asking = {
  kind: 'overtaken',
  reason:
    'Your answer was not used: this was decided elsewhere meanwhile, or it changed. Shown is how it stands now.',
}

const CHANGED: Asking = {
  kind: 'refused',
  reason: 'What this call would do has changed since you allowed it, so it was not done. Look at it again.',
}

const isOvertaken = (failure: unknown): boolean =>
  failure instanceof PlatformError && failure.code === 'approval_not_pending'
