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
    const answer = await confirm(questionOf(stop))
    if (answer === 'leave') break
    stop = await make({
      kind: 'decide',
      callId: stop.callId,
      decision: answer === 'yes' ? 'allow' : 'refuse',
    })
  }
  return stop
}

type Wish = Pick<ApprovalRequest, 'tool' | 'target'>

/** What the person is asked for, as a sentence. */
export const wishOf = (wish: Wish): string => (isOfMoney(wish) ? inOneLine(wish.target) : `${callOf(wish)}.`)

const questionOf = (wish: Wish): string =>
  isOfMoney(wish) ? `${inOneLine(wish.target)} Go on?` : `Allow ${callOf(wish)}?`

/** A budget that is used up asks like a call, and says itself what it is about. */
const isOfMoney = ({ tool }: Wish): boolean => tool === 'spend'

/** The call as a person is told of it, in one line that hides nothing. */
const callOf = ({ tool, target }: Wish): string => inOneLine(`${tool} on ${target}`)

const inOneLine = (text: string): string => neutralise(text).replaceAll('\n', '␊').replaceAll('\t', '␉')
