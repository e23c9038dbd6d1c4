import { findNearest } from '@parley/contracts'
import { eastAsianWidth } from 'get-east-asian-width'

const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const PLAIN = /^[\x20-\x7e]*$/

/** The terminal width of a text without newlines. */
export function measureText(text: string): number {
  if (PLAIN.test(text)) return text.length
  let width = 0
  for (const { segment } of GRAPHEMES.segment(text)) width += measureGrapheme(segment)
  return width
}

export function splitGraphemes(text: string): readonly string[] {
  return PLAIN.test(text) ? text.split('') : Array.from(GRAPHEMES.segment(text), ({ segment }) => segment)
}

export function measureGrapheme(grapheme: string): number {
  if (/^\p{Default_Ignorable_Code_Point}|^\p{Mark}/u.test(grapheme)) return 0
  if (/\uFE0F|^\p{Regional_Indicator}{2}/u.test(grapheme)) return 2
  return eastAsianWidth(grapheme.codePointAt(0) ?? 0)
}

/** The start of the character before this position. */
export const findGraphemeStart = (text: string, place: number): number =>
  place === 0 ? 0 : (GRAPHEMES.segment(text).containing(place - 1)?.index ?? 0)

/** The end of the character at this position. */
export function findGraphemeEnd(text: string, place: number): number {
  const found = GRAPHEMES.segment(text).containing(place)
  return found ? found.index + found.segment.length : text.length
}

/** Cuts a text to a width, with an ellipsis at the end. */
export function fitText(text: string, columns: number): string {
  if (measureText(text) <= columns) return text
  let fitted = ''
  let width = 0
  for (const grapheme of splitGraphemes(text)) {
    width += measureGrapheme(grapheme)
    if (width > columns - 1) break
    fitted += grapheme
  }
  return `${fitted.trimEnd()}…`
}

/** Cuts a text to a width, with an ellipsis in the middle: the ends of a path matter most. */
export function fitMiddle(text: string, columns: number): string {
  if (measureText(text) <= columns) return text
  const start = fitText(text, Math.ceil(columns / 2))
  let end = ''
  for (const grapheme of splitGraphemes(text).toReversed()) {
    if (measureText(start) + measureText(grapheme + end) > columns) break
    end = grapheme + end
  }
  return start + end
}

/** Wraps streamed text between words; a word waits for its end. */
export function createWrapper(columns: number) {
  let column = 0
  let space = ''
  let word = ''

  const settle = (): string => {
    if (word === '') return ''
    const wide = measureText(word)
    const breaks = column > 0 && column + space.length + wide > columns
    const out = breaks ? `\n${word}` : space + word
    column = (breaks ? 0 : column + space.length) + wide
    space = ''
    word = ''
    return out
  }

  return {
    write(piece: string) {
      let out = ''
      for (const part of splitWords(piece)) {
        if (part === '\n') {
          out += `${settle()}\n`
          column = 0
          space = ''
        } else if (part === ' ' || part === '\t') {
          out += settle()
          space += part === '\t' ? TAB : ' '
        } else if (standsAlone(part)) {
          out += settle()
          word = part
          out += settle()
        } else word += part
      }
      return out
    },
    flush() {
      const out = settle()
      column = 0
      space = ''
      return out
    },
  }
}

export function wrapWords(text: string, columns: number): string {
  const wrapper = createWrapper(columns)
  return wrapper.write(text) + wrapper.flush()
}

export const TAB = '    '

/** The words of a text, its single spaces, tabs and newlines, and each character of a script without spaces. */
export const splitWords = (text: string): readonly string[] => text.match(WORDS) ?? []

/** Scripts without spaces break anywhere. */
export const standsAlone = (word: string): boolean => STANDS_ALONE.test(word)

const WITHOUT_SPACES = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}'
const STANDS_ALONE = new RegExp(`^[${WITHOUT_SPACES}]`, 'u')
const WORDS = new RegExp(`[\\n \\t]|[${WITHOUT_SPACES}]|[^\\n \\t${WITHOUT_SPACES}]+`, 'gu')

/** Breaks a line into rows, after a nearby space, without losing characters. */
export function breakRows(line: string, columns: number): readonly string[] {
  const room = Math.max(2, columns)
  const rows: string[] = []
  let row: string[] = []
  let width = 0
  for (const grapheme of splitGraphemes(line)) {
    const wide = measureGrapheme(grapheme)
    if (width + wide > room) {
      const end = row.lastIndexOf(' ') + 1
      const cut = end > row.length / 2 ? end : row.length
      rows.push(row.slice(0, cut).join(''))
      row = row.slice(cut)
      width = row.reduce((sum, kept) => sum + measureGrapheme(kept), 0)
    }
    row.push(grapheme)
    width += wide
  }
  return [...rows, row.join('')]
}

/** Untrusted text as part of a line. */
export const toInlineText = (text: string): string => sanitise(text).replace(/\s+/g, ' ')

/** A count with its noun: "1 line", "2 lines". */
export const formatCount = (count: number, one: string): string =>
  count === 1 ? `1 ${one}` : `${count} ${one}s`

/** The end of a sentence about an unknown name: a full stop, or the closest known name. */
export function formatSuggestion(given: string, names: readonly string[]): string {
  const name = findNearest(given, names)
  return name === undefined ? '.' : `; did you mean "${name}"?`
}

/** Makes untrusted text safe for a terminal: only newlines and tabs act, other controls become visible. */
export function sanitise(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(CONTROLS, toPicture)
}

/** The same for text to approve: invisible characters are shown by number. */
export function revealInvisible(text: string): string {
  return text
    .replace(INVISIBLE, (found) => (ALONE.test(found) ? formatCodePoint(found) : found))
    .replace(CONTROLS, toPicture)
}

/** Revealed, and in one line. */
export const toSingleLine = (text: string): string =>
  revealInvisible(text).replaceAll('\n', '␊').replaceAll('\t', '␉')

/** The same for streamed text, wherever it is split. */
export function createSanitiser() {
  let held = ''
  return {
    write(piece: string): string {
      const text = held + piece
      held = UNFINISHED.exec(text)?.[0] ?? ''
      return sanitise(text.slice(0, text.length - held.length))
    },
    flush(): string {
      const rest = held
      held = ''
      return sanitise(rest)
    },
  }
}

/** C0 and C1 controls except newline and tab, and direction marks. */
// oxlint-disable-next-line no-control-regex -- it must find them
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g

/** Invisible characters, and emoji, which may contain some. */
const INVISIBLE = /\p{RGI_Emoji}|[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]/gv

const ALONE = /^[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]$/v

const formatCodePoint = (character: string): string =>
  `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`

const UNFINISHED = /[\r\uD800-\uDBFF]$/

/** Unicode has a picture of each C0 control and of DEL. */
function toPicture(control: string): string {
  const code = control.charCodeAt(0)
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  return code === 0x7f ? '\u2421' : '\uFFFD'
}
