/** A run of text as it was set on a page. */
export interface SetText {
  readonly str: string
  readonly hasEOL: boolean
  readonly height: number
  /** The fifth and sixth number are where it stands. */
  readonly transform: readonly number[]
}

/** A gap of more than this many lines' height is a new paragraph. */
const PARAGRAPH_GAP = 1.75

/** What a page says, its lines put together to paragraphs again. */
export function pageText(items: readonly SetText[]): string {
  const paragraphs: string[] = []
  let paragraph = ''
  let last: Line | undefined
  for (const line of linesOf(items)) {
    const isNew = !last || Math.abs(last.y - line.y) > PARAGRAPH_GAP * Math.max(last.height, line.height)
    if (isNew && paragraph) paragraphs.push(paragraph)
    paragraph = isNew ? line.text : joined(paragraph, line.text)
    last = line
  }
  if (paragraph) paragraphs.push(paragraph)
  return paragraphs.join('\n\n')
}

interface Line {
  readonly text: string
  readonly y: number
  readonly height: number
}

function* linesOf(items: readonly SetText[]): Generator<Line> {
  let texts: string[] = []
  let y = 0
  let height = 0
  for (const item of items) {
    if (item.str.trim() !== '') {
      if (texts.length === 0) y = item.transform[5] ?? 0
      height = Math.max(height, item.height)
    }
    if (texts.length > 0 || item.str.trim() !== '') texts.push(item.str)
    if (!item.hasEOL || texts.length === 0) continue
    yield { text: texts.join('').trim(), y, height }
    texts = []
    height = 0
  }
  if (texts.length > 0) yield { text: texts.join('').trim(), y, height }
}

/** A word that is divided at the end of a line is one word. */
function joined(before: string, after: string): string {
  const isDivided = /\p{Ll}{2}[-\u00ad\u2010]$/u.test(before) && /^\p{Ll}{2}/u.test(after)
  return isDivided ? before.slice(0, -1) + after : `${before} ${after}`
}
