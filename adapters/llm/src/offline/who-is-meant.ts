import type { LlmMessage } from '@parley/engine'
import { asksOrWishes } from './asks.ts'
import { ANY_KIN } from './kin-words.ts'

/** What was asked, with a name for "she" or "he" where what was said just before names one person. */
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
    part.type === 'text' && part.text.length <= LONGEST && asksOrWishes(part.text)
      ? { ...part, text: part.text.replace(THEIRS, `${name}'s`).replace(THEY, name) }
      : part,
  ),
})

const LONGEST = 300
const THEIRS = /\b(?:his|her(?= \p{Ll}))\b/giu
const THEY = /\b(?:she|he|him|her)\b/gi

/** By the answer, where it says who somebody is; else by the question that it answered. */
function meantBefore(messages: readonly LlmMessage[]): string | undefined {
  const told = textOf(messages.findLast((one) => one.role === 'assistant' && textOf(one) !== ''))
  const asked = textOf(messages.findLast(({ role }) => role === 'user'))
  return (
    only([...told.matchAll(KIN_TOLD)].map(([, name]) => name)) ??
    only([...asked.matchAll(KIN_ASKED)].map(([kin]) => kin)) ??
    only([...asked.matchAll(NAME)].map(([name]) => name))
  )
}

const only = (names: readonly (string | undefined)[]): string | undefined => {
  const [name, ...others] = new Set(names)
  return others.length === 0 ? name : undefined
}

const KIN_TOLD = new RegExp(String.raw`(?:\bMy|['’]s) (?:${ANY_KIN}) (?:is|was) (\p{Lu}\p{L}+)`, 'gu')
const KIN_ASKED = new RegExp(String.raw`\byour (?:${ANY_KIN})\b`, 'gi')
const NAME = /(?<=\S )\p{Lu}\p{L}+(?: \p{Lu}\p{L}+)*/gu

const textOf = (message: LlmMessage | undefined): string =>
  (message?.content ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
