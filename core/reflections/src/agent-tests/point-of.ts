import type { VoiceEvidence } from '@parley/contracts'

/** What the statement says of its subject: what follows the last word of the subject's name or of the predicate. */
export function pointOf(
  { statement, predicate }: Pick<VoiceEvidence, 'predicate' | 'statement'>,
  displayName: string,
): string {
  const led = new Set(wordsOf(`${displayName} ${predicate.replaceAll('_', ' ')}`))
  const words = plain(statement).split(' ')
  const last = words.findLastIndex((word) => led.has(wordsOf(word)[0] ?? ''))
  const point = trimmed(words.slice(last + 1).join(' '))
  return point === '' ? trimmed(plain(statement)) : point
}

/** All that the statement says of its subject. */
export function sayingOf({ statement }: Pick<VoiceEvidence, 'statement'>, displayName: string): string {
  const [text, name] = [plain(statement), plain(displayName)]
  return trimmed(text.startsWith(`${name} `) ? text.slice(name.length) : text)
}

/**
 * What an answer has one of, however it puts the point: its longest word, since small ones and forms of verbs change
 * with who speaks; or where the point is a date, each way to write it.
 */
export function tellingOf(point: string): readonly string[] {
  const [date, year, month, day] = DATE.exec(point) ?? []
  const timeless = point.replace(TIME, '')
  if (date !== undefined && year !== undefined && trimmed(timeless) === '') return datesOf(year, month, day)
  const words = timeless.match(WORD) ?? []
  const longest = words.reduce((long, word) => (word.length >= long.length ? word : long), '')
  return longest === '' ? [] : [longest]
}

export const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

const WORD = /[\p{L}\p{N}]+(?:['’]\p{L}+)*/gu
const DATE = /\b(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?\b/
/** When something was; a statement ends with it. */
const TIME = /(?:(?:^|\s)(?:on|in|since|until|from|to))?(?:^|\s)\d{4}(?:-\d{2}){0,2}\b/g

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
)

function datesOf(year: string, month: string | undefined, day: string | undefined): readonly string[] {
  const name = MONTHS[Number(month) - 1]
  if (name === undefined) return [year]
  if (day === undefined) return [`${name} ${year}`, `${year}-${month}`]
  const number = Number(day)
  return [`${number} ${name} ${year}`, `${name} ${number}, ${year}`, `${year}-${month}-${day}`]
}

/** In one line and without quotation marks, since conditions quote it. */
const plain = (text: string): string =>
  text
    .replace(/["“”„«»]/g, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()

const trimmed = (text: string): string => text.replace(/^[\s,;:.!?–-]+|[\s,;:.!?–-]+$/g, '')
