/** The most that a model gets of one result. */
const MAX_BYTES = 50_000
const MAX_LINES = 2_000

/** The share that comes from the beginning; the end often holds the outcome. */
const HEAD_SHARE = 0.7

export interface BoundedText {
  readonly head: string
  /** Absent if `head` is the whole text. */
  readonly omitted?: { readonly lines: number; readonly bytes: number; readonly tail: string }
}

/** The beginning and end of a too long text, cut at line breaks if possible. */
export function boundText(text: string, mostBytes = MAX_BYTES, mostLines = MAX_LINES): BoundedText {
  const lines = countLines(text)
  const bytes = countBytes(text)
  if (bytes <= mostBytes && lines <= mostLines) return { head: text }
  const headBytes = Math.floor(mostBytes * HEAD_SHARE)
  const headLines = Math.floor(mostLines * HEAD_SHARE)
  const head = takeHead(text, headBytes, headLines)
  const tail = takeTail(text.slice(head.length), mostBytes - headBytes, mostLines - headLines)
  const middle = text.slice(head.length, text.length - tail.length)
  return { head, omitted: { lines: countLines(middle), bytes: countBytes(middle), tail } }
}

function takeHead(text: string, mostBytes: number, mostLines: number): string {
  let bytes = 0
  let lines = 0
  let lineEnd = 0
  let end = 0
  for (const character of text) {
    bytes += countCharacterBytes(character)
    if (bytes > mostBytes) return text.slice(0, lineEnd || end)
    end += character.length
    if (character !== '\n') continue
    lineEnd = end
    lines += 1
    if (lines >= mostLines) return text.slice(0, end)
  }
  return text
}

function takeTail(text: string, mostBytes: number, mostLines: number): string {
  let bytes = 0
  let lines = 0
  let start = text.length
  let lineStart = text.length
  while (start > 0) {
    const from = isLowSurrogate(text, start - 1) ? start - 2 : start - 1
    const character = text.slice(from, start)
    if (character === '\n' && start < text.length) {
      lineStart = start
      lines += 1
      if (lines >= mostLines) return text.slice(start)
    }
    bytes += countCharacterBytes(character)
    if (bytes > mostBytes) return text.slice(lineStart === text.length ? start : lineStart)
    start = from
  }
  return text
}

const isLowSurrogate = (text: string, at: number): boolean =>
  at > 0 && (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800

/** In UTF-8; a lone surrogate counts as its replacement character. */
export function countBytes(text: string): number {
  let bytes = 0
  for (const character of text) bytes += countCharacterBytes(character)
  return bytes
}

function countCharacterBytes(character: string): number {
  const point = character.codePointAt(0) ?? 0
  return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4
}

function countLines(text: string): number {
  let lines = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1
  return text === '' || text.endsWith('\n') ? lines : lines + 1
}
