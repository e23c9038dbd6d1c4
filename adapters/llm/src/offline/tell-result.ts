import { type Json, type ToolOutcome, unfenced } from '@parley/contracts'
import { foundTexts, parsedJson } from './found-texts.ts'
import { looksSecret } from './looks-secret.ts'
import { passagesOf } from './passage.ts'
import { asSentence } from './as-sentence.ts'
import { rank } from './rank.ts'

/** What a tool's answer says to a question, in plain sentences. */
export function tellResult(outcome: ToolOutcome, question: string): string {
  if (outcome.kind !== 'ok')
    return FAILED[outcome.code] ?? 'That did not work just now. Please ask me again in a moment.'
  const answer = unfenced(outcome.text).slice(0, READ_AT_MOST)
  const passages = foundTexts(answer).flatMap(({ text, title }) => passagesOf(text, 'result', title))
  const hits = rank(passages, question).map(({ passage }) => passage)
  const told = (hits.length > 0 ? hits : passages).slice(0, 2)
  if (told.length > 0) return told.map(({ text }) => asSentence(text)).join(' ')
  const json = parsedJson(answer)
  const values = json === undefined ? [] : valuesIn(json, '', DEEPEST)
  return values.length > 0 ? values.slice(0, MOST_VALUES).join(' ') : 'Done.'
}

/** What would fail again. */
const FAILED: Readonly<Record<string, string>> = { tool_denied: 'I am not allowed to do that here.' }

const READ_AT_MOST = 100_000
const MOST_VALUES = 6
const DEEPEST = 4
const LONGEST_VALUE = 200

/** "Temperature: 12." for each value, under its name. */
function valuesIn(value: Json, name: string, levels: number): readonly string[] {
  if (value === null || levels === 0) return []
  if (Array.isArray(value)) return value.flatMap((item) => valuesIn(item, name, levels - 1))
  if (typeof value === 'object')
    return Object.entries(value).flatMap(([inner, held]) => valuesIn(held, inner, levels - 1))
  const text = String(value).replace(/\s+/g, ' ').trim()
  if (text === '' || text.length > LONGEST_VALUE || looksSecret(text)) return []
  return [asSentence(name === '' ? text : `${asLabel(name)}: ${text}`)]
}

function asLabel(name: string): string {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/_+/g, ' ')
    .trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
