import type { LlmMessage } from '@parley/engine'
import { stemsOf } from './stems-of.ts'

export interface WholeQuestion {
  /** With the question that it goes on from, or that one alone, where it says too little by itself. */
  readonly text: string
  /** What was said last. */
  readonly last: string
  readonly kind: 'question' | 'follow-up' | 'more'
}

/** The last question, together with the one before where it says too little by itself: "and when?", "tell me more". */
export function wholeQuestion(messages: readonly LlmMessage[]): WholeQuestion {
  const said = messages.filter(({ role }) => role === 'user').map((message) => textOf(message).trim())
  const last = (said.at(-1) ?? '').slice(0, LONGEST_QUESTION)
  const earlier = said.slice(0, -1).findLast((text) => !goesOn(text))
  if (!goesOn(last) || earlier === undefined) return { text: last, last, kind: 'question' }
  const before = earlier.slice(0, LONGEST_EARLIER)
  if (MORE.test(last)) return { text: before, last, kind: 'more' }
  return { text: `${before} ${last}`, last, kind: 'follow-up' }
}

const LONGEST_QUESTION = 1_000
const LONGEST_EARLIER = 500
const LONGEST = 60

const goesOn = (text: string): boolean =>
  text.length <= LONGEST &&
  (MORE.test(text) || (ASKS_ON.test(text) && stemsOf(text.replace(ASKS_ON, '')).length === 0))

const MORE =
  /^(?:(?:please|and|so|yes|okay|ok)[ ,]*)?(?:(?:tell|say)(?: me)? (?:some ?)?more|more|go on|continue|what else|anything else|and then|what (?:else|more))\b[^?]{0,20}[.?!]*$/i
const ASKS_ON =
  /^(?:(?:and|but|so|or|okay|ok)[ ,]*)?(?:since |until |with |for |from |by )?(?:when|where|why|who|whom|how|how (?:many|much|long|old|often|so|come)|which(?: ones?)?|what)\b/i

const textOf = ({ content }: LlmMessage): string =>
  content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
