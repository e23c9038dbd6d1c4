import { eastAsianWidth } from 'get-east-asian-width'

const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const PLAIN = /^[\x20-\x7e]*$/

/** How many columns a terminal gives to a text without newlines. */
export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length
  let width = 0
  for (const { segment } of GRAPHEMES.segment(text)) width += graphemeWidth(segment)
  return width
}

/** What a reader takes for one character each. */
export function graphemesOf(text: string): readonly string[] {
  return PLAIN.test(text) ? text.split('') : Array.from(GRAPHEMES.segment(text), ({ segment }) => segment)
}

export function graphemeWidth(grapheme: string): number {
  if (/^\p{Default_Ignorable_Code_Point}|^\p{Mark}/u.test(grapheme)) return 0
  if (/\uFE0F|^\p{Regional_Indicator}{2}/u.test(grapheme)) return 2
  return eastAsianWidth(grapheme.codePointAt(0) ?? 0)
}

/** Where the character before this place begins. */
export const graphemeBefore = (text: string, place: number): number =>
  place === 0 ? 0 : (GRAPHEMES.segment(text).containing(place - 1)?.index ?? 0)

/** Where the character at this place ends. */
export function graphemeAfter(text: string, place: number): number {
  const found = GRAPHEMES.segment(text).containing(place)
  return found ? found.index + found.segment.length : text.length
}

/** The text in at most so many columns, with an ellipsis where it was cut. */
export function fitText(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text
  let fitted = ''
  let width = 0
  for (const grapheme of graphemesOf(text)) {
    width += graphemeWidth(grapheme)
    if (width > columns - 1) break
    fitted += grapheme
  }
  return `${fitted.trimEnd()}…`
}

/** The text in at most so many columns, with an ellipsis in its middle where it was cut: a path says most at its ends. */
export function fitMiddle(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text
  const start = fitText(text, Math.ceil(columns / 2))
  let end = ''
  for (const grapheme of graphemesOf(text).toReversed()) {
    if (textWidth(start) + textWidth(grapheme + end) > columns) break
    end = grapheme + end
  }
  return start + end
}
