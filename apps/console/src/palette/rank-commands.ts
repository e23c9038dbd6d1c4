import type { Command } from './command.ts'

/** The commands that all words of a query fit, the best first; all of them, as they are, for no words. */
export function rankCommands(query: string, commands: readonly Command[]): readonly Command[] {
  const words = plain(query).split(/\s+/).filter(Boolean)
  if (words.length === 0) return commands
  return commands
    .map((command, place) => ({ command, place, score: scoreOf(words, command) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score || one.place - other.place)
    .map(({ command }) => command)
}

/** Nought where a word fits nowhere. */
function scoreOf(words: readonly string[], { kind, label, words: more = '' }: Command): number {
  const fitOf = IS_WRITTEN.has(kind) ? writtenFit : nameFit
  const name = plain(label)
  const whole = words.join(' ')
  let score = name === whole ? EXACT : name.startsWith(whole) ? STARTS : 0
  for (const word of words) {
    const fit = Math.max(fitOf(word, name), Math.min(fitOf(word, plain(more)), LIKE_A_PART))
    if (fit === 0) return 0
    score += fit
  }
  // Of two that fit alike, the shorter says less besides.
  return score - Math.min(name.length, 100) / 1_000
}

/** What people wrote has so many letters that some of them are those of any word. */
const IS_WRITTEN: ReadonlySet<Command['kind']> = new Set(['Session', 'Source', 'Fact'])

const EXACT = 200
const STARTS = 100
const WHOLE_WORD = 80
const WORD_STARTS = 60
const LIKE_A_PART = 40
const INITIALS = 30
const SCATTERED = 10

function writtenFit(word: string, text: string): number {
  const parts = partsOf(text)
  if (parts.includes(word)) return WHOLE_WORD
  if (parts.some((part) => part.startsWith(word))) return WORD_STARTS
  return word.length > 2 && text.includes(word) ? LIKE_A_PART : 0
}

/** Of the name of a page or an action, initials do, and letters of one word of it. */
function nameFit(word: string, text: string): number {
  const fit = writtenFit(word, text)
  if (fit > 0) return fit
  const parts = partsOf(text)
  const initials = parts.map((part) => part[0] ?? '').join('')
  if (initials.startsWith(word)) return INITIALS
  return word.length > 3 && parts.some((part) => isScattered(word, part)) ? SCATTERED : 0
}

const partsOf = (text: string): readonly string[] => text.split(/[^\p{L}\p{N}]+/u).filter(Boolean)

/** Whether all letters are there, in their order, not far from each other. */
function isScattered(word: string, text: string): boolean {
  let at = -1
  let gaps = 0
  for (const letter of word) {
    const next = text.indexOf(letter, at + 1)
    if (next === -1) return false
    if (at !== -1) gaps += next - at - 1
    at = next
  }
  return gaps <= word.length
}

/** Without case and accents. */
const plain = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().trim()
