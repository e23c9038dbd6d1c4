import { mayEndSentence } from './may-end-sentence.ts'

// Longer sentences are cut at a comma, or else between two words, so that what was said first is heard soon.
const LONG = 200
const SHORTEST_PART = 50

// Until its first line has ended, it may be code within a line.
const FENCE = /^\s*(?:```[^`\n]*|~~~[^\n]*)(?:\n|$)/u
const WHOLE_FENCE = /^\s*(```|~~~)[^\n]*\n(?:[^]*?\n)??[ \t]*\1[`~]*[ \t]*(?:\n|$)/u
const HALF_FENCE = /^\s*(?:`{1,2}|~{1,2})?$/u
const TERMINATOR = /[.!?…]/u
const FULL_WIDTH_TERMINATOR = /[。！？]/u
const CLOSING = /["'”’»)\]*_`]/u
// A line that begins so begins a paragraph, a quote, a heading, a list's entry, a table's row or code.
const BLOCK = /[\s>#*+\-|`~\d]/u

/** Where the first sentence of a text ends, the space after it counted; undefined until more text shows it. */
export function endOfSentence(text: string, isEnd: boolean): number | undefined {
  if (text === '') return undefined
  if (FENCE.test(text)) return endOfFence(text, isEnd)
  if (HALF_FENCE.test(text) && !isEnd) return undefined

  const start = text.length - text.trimStart().length
  for (let at = start; at < text.length; at++) {
    if (at - start >= LONG) return cut(text, start)
    const found = endAt(text, at, start)
    if (found === 'no') continue
    if (found !== 'unknown') return found
    return isEnd ? text.length : undefined
  }
  return isEnd ? text.length : undefined
}

function endOfFence(text: string, isEnd: boolean): number | undefined {
  const whole = WHOLE_FENCE.exec(text)?.[0]
  const isClosed = whole !== undefined && (isEnd || whole.endsWith('\n'))
  if (isClosed) return whole.length
  return isEnd ? text.length : undefined
}

/** `unknown`: what comes next decides. */
function endAt(text: string, at: number, start: number): number | 'no' | 'unknown' {
  const letter = text.charAt(at)
  if (letter === '\n') return endAtLine(text, at)
  const isFullWidth = FULL_WIDTH_TERMINATOR.test(letter)
  if (!isFullWidth && !TERMINATOR.test(letter)) return 'no'

  const closed = skip(text, skip(text, at + 1, TERMINATOR), CLOSING)
  if (closed === text.length) return 'unknown'
  if (isFullWidth) return closed
  if (!/\s/u.test(text.charAt(closed))) return 'no'
  const next = skip(text, closed, /\s/u)
  if (next === text.length) return 'unknown'
  return mayEndSentence(text.slice(start, at + 1), text.charAt(next)) ? next : 'no'
}

function endAtLine(text: string, at: number): number | 'no' | 'unknown' {
  if (at + 1 === text.length) return 'unknown'
  return BLOCK.test(text.charAt(at + 1)) ? at + 1 : 'no'
}

function cut(text: string, start: number): number {
  const part = text.slice(start, start + LONG)
  const afterComma = part.search(/[,;:–—)]\s+[^,;:–—)]*$/u)
  if (afterComma >= SHORTEST_PART) return skip(text.slice(0, start + LONG), start + afterComma + 1, /\s/u)
  const space = part.lastIndexOf(' ')
  if (space >= SHORTEST_PART) return start + space + 1
  // A letter beyond the first 65,536 is two units, which stay together.
  const isPair = /[\uD800-\uDBFF]$/u.test(part)
  return start + LONG - (isPair ? 1 : 0)
}

function skip(text: string, from: number, letters: RegExp): number {
  let at = from
  while (at < text.length && letters.test(text.charAt(at))) at += 1
  return at
}
