import { inOneLine } from '../render/neutralise.ts'
import type { ApprovalRequest } from './conversation.ts'

type Wish = Pick<ApprovalRequest, 'tool' | 'target'>

/** What the person is asked for, as a sentence. */
export const wishOf = (wish: Wish): string => (isOfMoney(wish) ? inOneLine(wish.target) : `${callOf(wish)}.`)

/** A budget that is used up asks like a call, and says itself what it is about. */
export const isOfMoney = ({ tool }: Pick<Wish, 'tool'>): boolean => tool === 'spend'

/** The call as a person is told of it, in one line that hides nothing. */
export const callOf = ({ tool, target }: Wish): string => inOneLine(`${tool} on ${target}`)
