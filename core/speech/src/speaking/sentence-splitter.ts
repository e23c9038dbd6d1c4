export interface Sentence {
  /** As it stands in the text; all of them together are the text. */
  readonly written: string
  /** What is said of it: empty where there is nothing to say, as of program code. */
  readonly spoken: string
}

/** Splits text that comes in pieces, and gives out a sentence as soon as it is complete. */
export interface SentenceSplitter {
  add(text: string): readonly Sentence[]
  /** No more text comes, for now: what is left is a sentence. */
  end(): readonly Sentence[]
}

export function createSentenceSplitter(): SentenceSplitter {
  let pending = ''

  const take = (isEnd: boolean): readonly Sentence[] => {
    const sentences: Sentence[] = []
    for (;;) {
      const end = endOfSentence(pending, isEnd)
      if (end === undefined) return sentences
      const written = pending.slice(0, end)
      pending = pending.slice(end)
      sentences.push({ written, spoken: speakable(written) })
    }
  }

  return {
    add(text) {
      pending += text
      return take(false)
    },
    end: () => take(true),
  }
}

/** What is said of written text: its words, without the signs that only eyes read. Empty where no word is left. */
export function speakable(written: string): string {
  if (FENCED_CODE.test(written)) return ''
  let text = written
  for (const [sign, said] of SIGNS) text = text.replace(sign, said)
  return /[\p{L}\p{N}]/u.test(text) ? text.trim() : ''
}

const FENCED_CODE = /^\s*(?:```[^`\n]*|~~~[^\n]*)(?:\n|$)/u

const SIGNS: readonly (readonly [sign: RegExp, said: string])[] = [
  // Lines: quotes, headings, entries of lists, rules, tables.
  [/^[ \t]*(?:>[ \t]*)+/gmu, ''],
  [/^[ \t]*#{1,6}[ \t]+/gmu, ''],
  [/^[ \t]*[-*+][ \t]+(?:\[[ xX]\][ \t]+)?/gmu, ''],
  [/^[ \t|:*_=-]+$/gmu, ''],
  [/^[ \t]*\|[ \t]*|[ \t]*\|[ \t]*$/gmu, ''],
  [/[ \t]+\|[ \t]+/gu, ', '],
  // References.
  [/!?\[([^\]]*)\]\([^)]*\)/gu, '$1'],
  [/\s*\[\^?\d+\]/gu, ''],
  [
    /<?https?:\/\/(?:[^\s/@]*@)?(?:www\.)?([\w-]+(?:\.[\w-]+)*)(?::\d+)?(?:[/?#](?:[^\s<>)\]]*[^\s<>)\].,:;!?])?)?>?/gu,
    '$1',
  ],
  [/<\/?[a-z][^<>]*>/giu, ''],
  // Emphasis, code within a line, and names_of_variables.
  [/\*\*|__|~~|`+/gu, ''],
  [/(?<![\p{L}\p{N}])[*_](?=\S)|(?<=\S)[*_](?![\p{L}\p{N}])/gu, ''],
  [/(?<=[\p{L}\p{N}])_(?=[\p{L}\p{N}])/gu, ' '],
  [/["“”«»„]/gu, ''],
  [/\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\uFE0F|\u200D|\u20E3/gu, ''],
  [/\s+/gu, ' '],
]

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
function endOfSentence(text: string, isEnd: boolean): number | undefined {
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

const words = (list: string) => new Set(list.split(' '))
const BEFORE_A_NAME = words(
  'mr mrs ms dr prof st sen rep gov gen capt lt sgt rev hon vs cf approx ca e.g i.e',
)
const BEFORE_A_NUMBER = words(
  'no nos fig figs vol p pp ch sec art eq jan feb mar apr jun jul aug sep sept oct nov dec',
)

/** Whether a sentence may end with the stop that `upToStop` ends with, when `next` follows. */
function mayEndSentence(upToStop: string, next: string): boolean {
  // What goes on in small letters is one sentence.
  if (/\p{Ll}/u.test(next)) return false
  if (!upToStop.endsWith('.')) return true

  const word = /[^\s("'“‘[*_]*(?=\.$)/u.exec(upToStop)?.[0] ?? ''
  const isNumberOfEntry = /^\d+\.$/u.test(upToStop)
  const isInitial = /^(?:\p{Lu}\.)*\p{Lu}$/u.test(word) && word !== 'I'
  if (isNumberOfEntry || isInitial) return false
  if (BEFORE_A_NUMBER.has(word.toLowerCase())) return !/\d/u.test(next)
  return !BEFORE_A_NAME.has(word.toLowerCase())
}
