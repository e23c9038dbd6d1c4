import type { LlmMessage } from '@parley/engine'
import { ANY_KIN, isRequestOrWish, toStems } from './english.ts'
import { readMessageText } from './answer-material.ts'

export interface ResolvedQuestion {
  /** For a follow-up, includes the question that it follows; for "more", is that question. */
  readonly text: string
  /** The last message. */
  readonly last: string
  readonly kind: 'question' | 'follow-up' | 'more'
}

/** The last question. An incomplete one, such as "and when?" or "tell me more", is joined with the question before it. */
export function resolveQuestion(messages: readonly LlmMessage[]): ResolvedQuestion {
  const questions = messages
    .filter(({ role }) => role === 'user')
    .map((message) => readMessageText(message).trim())
  const last = (questions.at(-1) ?? '').slice(0, MAX_QUESTION_LENGTH)
  const earlier = questions.slice(0, -1).findLast((text) => !isFollowUp(text))
  if (!isFollowUp(last) || earlier === undefined) return { text: last, last, kind: 'question' }
  const before = earlier.slice(0, MAX_EARLIER_LENGTH)
  if (MORE.test(last)) return { text: before, last, kind: 'more' }
  return { text: `${before} ${last}`, last, kind: 'follow-up' }
}

const MAX_QUESTION_LENGTH = 1_000
const MAX_EARLIER_LENGTH = 500
const MAX_FOLLOW_UP_LENGTH = 60

const isFollowUp = (text: string): boolean =>
  text.length <= MAX_FOLLOW_UP_LENGTH &&
  (MORE.test(text) || (BARE_QUESTION.test(text) && toStems(text.replace(BARE_QUESTION, '')).length === 0))

const MORE =
  /^(?:(?:please|and|so|yes|okay|ok)[ ,]*)?(?:(?:tell|say)(?: me)? (?:some ?)?more|more|go on|continue|what else|anything else|and then|what (?:else|more))\b[^?]{0,20}[.?!]*$/i
const BARE_QUESTION =
  /^(?:(?:and|but|so|or|okay|ok)[ ,]*)?(?:since |until |with |for |from |by )?(?:when|where|why|who|whom|how|how (?:many|much|long|old|often|so|come)|which(?: ones?)?|what)\b/i

/** Replaces "she" and "he" by a name if the messages before name one person. */
export function replacePronounsByName(messages: readonly LlmMessage[]): readonly LlmMessage[] {
  const named: LlmMessage[] = []
  for (const message of messages) {
    const name = message.role === 'user' ? findMentionedPerson(named) : undefined
    named.push(name === undefined ? message : insertName(name, message))
  }
  return named
}

const insertName = (name: string, message: LlmMessage): LlmMessage => ({
  ...message,
  content: message.content.map((part) =>
    part.type === 'text' && part.text.length <= MAX_NAMED_LENGTH && isRequestOrWish(part.text)
      ? { ...part, text: part.text.replace(THEIRS, `${name}'s`).replace(THEY, name) }
      : part,
  ),
})

const MAX_NAMED_LENGTH = 300
const THEIRS = /\b(?:his|her(?= \p{Ll}))\b/giu
const THEY = /\b(?:she|he|him|her)\b/gi

/** Named in the last answer as a relative, or else in the question before it. */
function findMentionedPerson(messages: readonly LlmMessage[]): string | undefined {
  const answer = readMessageText(
    messages.findLast((one) => one.role === 'assistant' && readMessageText(one) !== ''),
  )
  const question = readMessageText(messages.findLast(({ role }) => role === 'user'))
  return (
    findOnlyName([...answer.matchAll(NAMED_KIN)].map(([, name]) => name)) ??
    findOnlyName([...question.matchAll(YOUR_KIN)].map(([kin]) => kin)) ??
    findOnlyName([...question.matchAll(NAME)].map(([name]) => name))
  )
}

const findOnlyName = (names: readonly (string | undefined)[]): string | undefined => {
  const [name, ...others] = new Set(names)
  return others.length === 0 ? name : undefined
}

const NAMED_KIN = new RegExp(String.raw`(?:\bMy|['’]s) (?:${ANY_KIN}) (?:is|was) (\p{Lu}\p{L}+)`, 'gu')
const YOUR_KIN = new RegExp(String.raw`\byour (?:${ANY_KIN})\b`, 'gi')
const NAME = /(?<=\S )\p{Lu}\p{L}+(?: \p{Lu}\p{L}+)*/gu

/**
 * Replaces "she" by "you" in questions to a reflection: without another name, a person who asks where "she" grew up means
 * the creator. Statements are unchanged.
 */
export function replaceCreatorPronouns(
  messages: readonly LlmMessage[],
  creator: string,
): readonly LlmMessage[] {
  let hasOthers = false
  return messages.map((message) => {
    if (message.role !== 'user' || hasOthers) return message
    hasOthers = message.content.some((part) => part.type === 'text' && mentionsOthers(part.text, creator))
    if (hasOthers) return message
    const content = message.content.map((part) =>
      part.type === 'text' && part.text.length <= MAX_ADDRESSED_LENGTH && isRequestOrWish(part.text)
        ? { ...part, text: toSecondPerson(part.text) }
        : part,
    )
    return { ...message, content }
  })
}

const MAX_ADDRESSED_LENGTH = 500

/** Whether a text names somebody or something else, or a relative. */
function mentionsOthers(text: string, creator: string): boolean {
  const own = new Set(creator.split(/\s+/))
  const names = [...text.matchAll(/(?<=[\p{L}\p{N},;:'’] )\p{Lu}\p{L}+/gu)].map(([name]) => name)
  return names.some((name) => !own.has(name)) || PERSON.test(text)
}

const PERSON =
  /\b(?:mother|father|mum|dad|parents?|sister|brother|daughter|son|child|children|aunt|uncle|cousin|grand\p{L}+|wife|husband|partner|friends?|colleagues?|students?|girls?|boys?|wom[ae]n|m[ae]n|person|people|somebody|someone|dog|cat)\b/iu

const toSecondPerson = (question: string): string =>
  PRONOUNS.reduce((text, [pattern, instead]) => text.replace(pattern, instead), question)

/** The order matters: a verb changes with its pronoun. "They" is replaced only at the start, since it may mean things. */
const PRONOUNS: readonly (readonly [RegExp, string])[] = [
  [/\bis (?:she|he)\b/gi, 'are you'],
  [/\bwas (?:she|he)\b/gi, 'were you'],
  [/\bhas (?:she|he)\b/gi, 'have you'],
  [/\bdoes (?:she|he)\b/gi, 'do you'],
  [/\b(?:she|he) (?:is|['’]s)\b/gi, 'you are'],
  [/\b(?:she|he) was\b/gi, 'you were'],
  [/\b(?:she|he) has\b/gi, 'you have'],
  [/\b(?:she|he|him)\b/gi, 'you'],
  [/\b(?:her(?= \p{L})|his)\b/giu, 'your'],
  [/\bher\b/gi, 'you'],
  [
    /(?<=^\W*(?:where|when|how|why|what|which \p{L}+|how \p{L}+) (?:are|were|do|did|have|had) )they\b/giu,
    'you',
  ],
]
