import { MAX_SEGMENT } from '../limits.ts'

/** The text in pieces that are not too long, each ending where a reader would pause. */
export function* splitLong(text: string, max = MAX_SEGMENT): Generator<string> {
  let rest = 0
  while (text.length - rest > max) {
    const end = rest + pauseIn(text.slice(rest, rest + max))
    const piece = text.slice(rest, end).trim()
    if (piece) yield piece
    rest = end
  }
  const last = text.slice(rest).trim()
  if (last) yield last
}

/** After a paragraph, else a line, a sentence, a word; else at the very end. Never in the first half. */
function pauseIn(window: string): number {
  const half = window.length >> 1
  for (const mark of ['\n\n', '\n']) {
    const at = window.lastIndexOf(mark)
    if (at >= half) return at + mark.length
  }
  const sentence = lastSentenceEnd(window, half)
  if (sentence) return sentence
  const space = window.lastIndexOf(' ')
  if (space >= half) return space + 1
  return isHighSurrogate(window.charCodeAt(window.length - 1)) ? window.length - 1 : window.length
}

function lastSentenceEnd(window: string, from: number): number | undefined {
  for (let at = window.length - 1; at > from; at -= 1) {
    const before = window.charAt(at - 1)
    if ('。！？'.includes(before)) return at
    if ('.!?…'.includes(before) && /\s/.test(window.charAt(at))) return at
  }
  return undefined
}

const isHighSurrogate = (code: number) => code >= 0xd800 && code <= 0xdbff
