import type { ApprovalDecision } from '@parley/contracts'
import type { ApprovalRequest, Move, TurnStop } from './conversation.ts'

interface Following {
  readonly make: (move: Move) => Promise<TurnStop>
  /** What is said to a call that waits; `leave` leaves it waiting, `unattended` is no. */
  readonly decide: (request: ApprovalRequest) => Promise<ApprovalDecision | 'leave' | 'unattended'>
}

/** A turn to its end, with a decision wherever a call waits. Ends with the call that is left undecided. */
export async function followTurn(
  from: Move | ApprovalRequest,
  { make, decide }: Following,
): Promise<TurnStop> {
  let stop = 'kind' in from ? await make(from) : from
  while (stop.type === 'agent:approval_requested') {
    const { callId, inputHash } = stop
    const decision = await decide(stop)
    if (decision === 'leave') break
    stop = await make(
      decision === 'unattended'
        ? { kind: 'decide', callId, decision: 'refuse', inputHash, unattended: true }
        : { kind: 'decide', callId, decision, inputHash },
    )
  }
  return stop
}
