import { readOpenQuestions } from '@parley/contracts'
import type { LlmMessage } from '@parley/engine'
import { readMessageText } from './answer-material.ts'

/** The interviewer's next message, by rules: one question at a time. Undefined outside an interview. */
export function askNextQuestion(system: string, messages: readonly LlmMessage[]): string | undefined {
  const questions = readOpenQuestions(system)
  if (!questions) return undefined
  const answers = messages.filter(({ role }) => role === 'user').map(readMessageText)
  const asked = messages.filter(({ role }) => role === 'assistant').map(readMessageText)
  const answer = answers.at(-1)?.trim() ?? ''
  if (STOPS.test(answer)) return FAREWELL
  const last = asked.findLast((text) => text !== '') ?? ''
  if (ASKS_AGAIN.test(answer)) return findFirstQuestion(last)
  if (DOES_NOT_UNDERSTAND.test(answer)) return simplifyQuestion(findFirstQuestion(last) ?? LAST_QUESTION)
  const open = questions.filter((question) => !asked.some((text) => text.includes(question)))
  if (/\?\s*$/.test(answer)) return `${ONLY_ASKS} ${findFirstQuestion(last) ?? open[0] ?? LAST_QUESTION}`
  const isAnswer = questions.some(
    (question) => last.includes(question) || last === simplifyQuestion(question),
  )
  if (isAnswer && isShortAnswer(answer) && !DECLINES.test(answer)) return FOLLOW_UP
  const [next] = open
  const opening =
    isAnswer || last === FOLLOW_UP ? acknowledgeAnswer(answer) : 'I will ask one thing at a time.'
  if (next !== undefined) return `${opening} ${next}`
  return asked.some((text) => text.includes(LAST_QUESTION))
    ? CLOSING
    : `${acknowledgeAnswer(answer)} ${LAST_QUESTION}`
}

/** The interviewer does not answer questions: the reflection speaks elsewhere. */
const ONLY_ASKS = 'I only ask questions here. To get answers, talk with the reflection.'
const FOLLOW_UP = 'Can you tell me a little more about that: when it was, where, or with whom?'
const LAST_QUESTION = 'Is there anything else that should be known about you?'
const CLOSING = 'Thank you. I have nothing more to ask today.'
const FAREWELL = 'Thank you for telling me all this. Let us leave it there for today. Goodbye.'

/** The person wants to stop. */
const STOPS =
  /^(?:(?:ok(?:ay)?|well|thanks?|thank you|no|please)[\s,.!]+){0,3}(?:good ?-?bye|bye|stop|enough|that(?:['’]s| is| was) (?:all|enough)|see you|good night|i (?:have to|must|need to|want to|would like to) (?:go|leave|stop)|(?:can|could|may|shall) (?:we|i|you) (?:please )?(?:stop|end|finish|leave it)|let(?:['’]s| us) (?:stop|end|finish|leave it))\b.{0,60}$/i

/** The person wants to hear the question again. */
const ASKS_AGAIN =
  /\bwhat (?:did|do) you (?:just )?ask\b|\bwhat was (?:the|your) question\b|\b(?:repeat|say) (?:that|the question|it) again\b|\brepeat (?:that|the question)\b/i

/** The person did not understand; a simpler question follows. */
const DOES_NOT_UNDERSTAND =
  /^(?:(?:sorry|pardon|hm+|well|but|i['’]m sorry|i am sorry)[\s,.!]+){0,2}(?:(?:what|how) (?:do|did) you mean|what(?:['’]s| is) that supposed to mean|what does that mean|i (?:do not|don['’]t|did not|didn['’]t) (?:quite )?(?:understand|get (?:it|that))|(?:can|could|would) you (?:please )?(?:explain|rephrase|clarify|say (?:it|that) (?:differently|another way))|(?:like|such as) what|pardon|huh|sorry)\b.{0,40}$/i

const simplifyQuestion = (question: string): string =>
  `I mean: ${question.replace(/,? and .*$/, '?')} A few words will do, or say "skip".`

const findFirstQuestion = (text: string): string | undefined => /[^.?]+\?/.exec(text)?.[0].trim()

/** An answer with fewer words gets a follow-up question. */
const SHORT = 8
const isShortAnswer = (answer: string): boolean => answer.split(/\s+/).length < SHORT

const DECLINES =
  /^(?:no|none|nothing|never|skip|pass|next)\b|\b(?:rather not|not want|don['’]t (?:want|know|remember)|do not (?:know|remember)|no idea)\b/i

const acknowledgeAnswer = (answer: string): string => (DECLINES.test(answer) ? 'That is fine.' : 'Thank you.')
