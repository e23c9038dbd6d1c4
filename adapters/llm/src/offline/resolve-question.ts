import type { LlmMessage } from '@parley/engine'
import { ANY_KIN, asksOrWishes, stemsOf } from './english.ts'

export interface WholeQuestion {
  /** With the question that it goes on from, or that one alone, where it says too little by itself. */
  readonly text: string
  /** The last message. */
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
const LONGEST_FOLLOW_UP = 60

const goesOn = (text: string): boolean =>
  text.length <= LONGEST_FOLLOW_UP &&
  (MORE.test(text) || (ASKS_ON.test(text) && stemsOf(text.replace(ASKS_ON, '')).length === 0))

const MORE =
  /^(?:(?:please|and|so|yes|okay|ok)[ ,]*)?(?:(?:tell|say)(?: me)? (?:some ?)?more|more|go on|continue|what else|anything else|and then|what (?:else|more))\b[^?]{0,20}[.?!]*$/i
const ASKS_ON =
  /^(?:(?:and|but|so|or|okay|ok)[ ,]*)?(?:since |until |with |for |from |by )?(?:when|where|why|who|whom|how|how (?:many|much|long|old|often|so|come)|which(?: ones?)?|what)\b/i

const textOf = ({ content }: LlmMessage): string =>
  content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')

/** The messages with a name for "she" or "he" where the message before names one person. */
export function withNames(messages: readonly LlmMessage[]): readonly LlmMessage[] {
  const named: LlmMessage[] = []
  for (const message of messages) {
    const name = message.role === 'user' ? meantBefore(named) : undefined
    named.push(name === undefined ? message : withName(name, message))
  }
  return named
}

const withName = (name: string, message: LlmMessage): LlmMessage => ({
  ...message,
  content: message.content.map((part) =>
    part.type === 'text' && part.text.length <= LONGEST_NAMED && asksOrWishes(part.text)
      ? { ...part, text: part.text.replace(THEIRS, `${name}'s`).replace(THEY, name) }
      : part,
  ),
})

const LONGEST_NAMED = 300
const THEIRS = /\b(?:his|her(?= \p{Ll}))\b/giu
const THEY = /\b(?:she|he|him|her)\b/gi

/** By the answer, where it says who somebody is; else by the question that it answered. */
function meantBefore(messages: readonly LlmMessage[]): string | undefined {
  const told = textIn(messages.findLast((one) => one.role === 'assistant' && textIn(one) !== ''))
  const asked = textIn(messages.findLast(({ role }) => role === 'user'))
  return (
    onlyOne([...told.matchAll(KIN_TOLD)].map(([, name]) => name)) ??
    onlyOne([...asked.matchAll(KIN_ASKED)].map(([kin]) => kin)) ??
    onlyOne([...asked.matchAll(NAME)].map(([name]) => name))
  )
}

const onlyOne = (names: readonly (string | undefined)[]): string | undefined => {
  const [name, ...others] = new Set(names)
  return others.length === 0 ? name : undefined
}

const KIN_TOLD = new RegExp(String.raw`(?:\bMy|['’]s) (?:${ANY_KIN}) (?:is|was) (\p{Lu}\p{L}+)`, 'gu')
const KIN_ASKED = new RegExp(String.raw`\byour (?:${ANY_KIN})\b`, 'gi')
const NAME = /(?<=\S )\p{Lu}\p{L}+(?: \p{Lu}\p{L}+)*/gu

const textIn = (message: LlmMessage | undefined): string =>
  (message?.content ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')

/**
 * Questions to a reflection, put to "you": a visitor who asks where "she" grew up, and has named nobody else, means the
 * person of the reflection. Statements stay as they are.
 */
export function askedOfYou(messages: readonly LlmMessage[], owner: string): readonly LlmMessage[] {
  let hasOthers = false
  return messages.map((message) => {
    if (message.role !== 'user' || hasOthers) return message
    hasOthers = message.content.some((part) => part.type === 'text' && speaksOfOthers(part.text, owner))
    if (hasOthers) return message
    const content = message.content.map((part) =>
      part.type === 'text' && part.text.length <= LONGEST_ASKED && asksOrWishes(part.text)
        ? { ...part, text: toYou(part.text) }
        : part,
    )
    return { ...message, content }
  })
}

const LONGEST_ASKED = 500

/** Whether a text names somebody or something else, or a relative. */
function speaksOfOthers(text: string, owner: string): boolean {
  const own = new Set(owner.split(/\s+/))
  const names = [...text.matchAll(/(?<=[\p{L}\p{N},;:'’] )\p{Lu}\p{L}+/gu)].map(([name]) => name)
  return names.some((name) => !own.has(name)) || PERSON.test(text)
}

const PERSON =
  /\b(?:mother|father|mum|dad|parents?|sister|brother|daughter|son|child|children|aunt|uncle|cousin|grand\p{L}+|wife|husband|partner|friends?|colleagues?|students?|girls?|boys?|wom[ae]n|m[ae]n|person|people|somebody|someone|dog|cat)\b/iu

const toYou = (question: string): string =>
  PRONOUNS.reduce((text, [pattern, instead]) => text.replace(pattern, instead), question)

/** In this order: the verb goes with its pronoun. "They" may be things, unless nothing comes before it. */
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
