import { neutralise } from '../render/neutralise.ts'
import type { ApprovalRequest, Move, TurnStop } from './conversation.ts'
import type { Confirmation } from '../prompt/yes-or-no.ts'

interface Following {
  readonly make: (move: Move) => Promise<TurnStop>
  /** Absent where nobody is there to be asked. */
  readonly confirm?: ((question: string) => Promise<Confirmation>) | undefined
}

/** A turn to its end: wherever a call waits, the person is asked. Ends with the call that they leave undecided. */
export async function followTurn(
  from: Move | ApprovalRequest,
  { make, confirm }: Following,
): Promise<TurnStop> {
  let stop = 'kind' in from ? await make(from) : from
  if (!confirm) return stop
  while (stop.type === 'agent:approval_requested') {
    const answer = await confirm(`Allow ${callOf(stop)}?`)
    if (answer === 'leave') break
    stop = await make({
      kind: 'decide',
      callId: stop.callId,
      decision: answer === 'yes' ? 'allow' : 'refuse',
    })
  }
  return stop
}

/** The call as a person is told of it, in one line that hides nothing. */
export const callOf = ({ tool, target }: Pick<ApprovalRequest, 'tool' | 'target'>): string =>
  neutralise(`${tool} on ${target}`).replaceAll('\n', '␊').replaceAll('\t', '␉')
