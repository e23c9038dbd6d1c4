import type { LlmMessage } from '@parley/engine'
import { asksOrWishes } from './asks.ts'

/**
 * What was said to a reflection, as said to whom it speaks for: who asks where "she" grew up, and has spoken of nobody else,
 * means them. Only questions are put so; what is told is left as it was said.
 */
export function askedOfYou(messages: readonly LlmMessage[], owner: string): readonly LlmMessage[] {
  let hasOthers = false
  return messages.map((message) => {
    if (message.role !== 'user' || hasOthers) return message
    hasOthers = message.content.some((part) => part.type === 'text' && speaksOfOthers(part.text, owner))
    if (hasOthers) return message
    const content = message.content.map((part) =>
      part.type === 'text' && part.text.length <= LONGEST && asksOrWishes(part.text)
        ? { ...part, text: toYou(part.text) }
        : part,
    )
    return { ...message, content }
  })
}

const LONGEST = 500

/** Names somebody or something, or says of whom it is by what they are to others. */
function speaksOfOthers(text: string, owner: string): boolean {
  const own = new Set(owner.split(/\s+/))
  const names = [...text.matchAll(/(?<=[\p{L}\p{N},;:'’] )\p{Lu}\p{L}+/gu)].map(([name]) => name)
  return names.some((name) => !own.has(name)) || PERSON.test(text)
}

const PERSON =
  /\b(?:mother|father|mum|dad|parents?|sister|brother|daughter|son|child|children|aunt|uncle|cousin|grand\p{L}+|wife|husband|partner|friends?|colleagues?|students?|girls?|boys?|wom[ae]n|m[ae]n|person|people|somebody|someone|dog|cat)\b/iu

const toYou = (question: string): string =>
  PRONOUNS.reduce((text, [pattern, instead]) => text.replace(pattern, instead), question)

/** In this order: the verb goes with whom it is asked of. "They" may be things, unless nothing stands before it. */
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
