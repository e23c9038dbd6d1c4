export interface Sentence {
  /** The exact text; all sentences joined give the original. */
  readonly written: string
  /** The text to speak; empty if nothing can be spoken, as for program code. */
  readonly spoken: string
}

/** Splits streamed text and returns each sentence as soon as it is complete. */
export interface SentenceSplitter {
  add(text: string): readonly Sentence[]
  /** The stream paused: the remaining text becomes a sentence. */
  end(): readonly Sentence[]
}

export function createSentenceSplitter(): SentenceSplitter {
  let pending = ''

  const take = (isEnd: boolean): readonly Sentence[] => {
    const sentences: Sentence[] = []
    for (;;) {
      const end = findSentenceEnd(pending, isEnd)
      if (end === undefined) return sentences
      const written = pending.slice(0, end)
      pending = pending.slice(end)
      sentences.push({ written, spoken: toSpokenText(written) })
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

/** Removes Markdown, links and symbols that cannot be spoken. Returns '' if no word is left. */
export function toSpokenText(written: string): string {
  if (FENCE.test(written)) return ''
  let text = written
  for (const [sign, said] of SIGNS) text = text.replace(sign, said)
  return /[\p{L}\p{N}]/u.test(text) ? text.trim() : ''
}

const SIGNS: readonly (readonly [sign: RegExp, said: string])[] = [
  // Lines: quotes, headings, list items, rules, tables.
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
  // Emphasis, inline code, and snake_case names.
  [/\*\*|__|~~|`+/gu, ''],
  [/(?<![\p{L}\p{N}])[*_](?=\S)|(?<=\S)[*_](?![\p{L}\p{N}])/gu, ''],
  [/(?<=[\p{L}\p{N}])_(?=[\p{L}\p{N}])/gu, ' '],
  [/["“”«»„]/gu, ''],
  [/\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\uFE0F|\u200D|\u20E3/gu, ''],
  [/\s+/gu, ' '],
]

// Longer sentences are cut at a comma or between two words, to start speaking early.
const MAX_SENTENCE_LENGTH = 200
const SHORTEST_PART = 50

// Matches once the first line is complete; before that it may be inline code.
const FENCE = /^\s*(?:```[^`\n]*|~~~[^\n]*)(?:\n|$)/u
const WHOLE_FENCE = /^\s*(```|~~~)[^\n]*\n(?:[^]*?\n)??[ \t]*\1[`~]*[ \t]*(?:\n|$)/u
const HALF_FENCE = /^\s*(?:`{1,2}|~{1,2})?$/u
const TERMINATOR = /[.!?…]/u
const FULL_WIDTH_TERMINATOR = /[。！？]/u
const CLOSING = /["'”’»)\]*_`]/u
// First characters of a line that starts a paragraph, quote, heading, list item, table row or code block.
const BLOCK = /[\s>#*+\-|`~\d]/u

/** End of the first sentence, with the space after it; undefined if more text is needed to decide. */
function findSentenceEnd(text: string, isEnd: boolean): number | undefined {
  if (text === '') return undefined
  if (FENCE.test(text)) return findFenceEnd(text, isEnd)
  if (HALF_FENCE.test(text) && !isEnd) return undefined

  const start = text.length - text.trimStart().length
  for (let at = start; at < text.length; at++) {
    if (at - start >= MAX_SENTENCE_LENGTH) return findCut(text, start)
    const found = findEndAt(text, at, start)
    if (found === 'no') continue
    if (found !== 'unknown') return found
    return isEnd ? text.length : undefined
  }
  return isEnd ? text.length : undefined
}

function findFenceEnd(text: string, isEnd: boolean): number | undefined {
  const whole = WHOLE_FENCE.exec(text)?.[0]
  const isClosed = whole !== undefined && (isEnd || whole.endsWith('\n'))
  if (isClosed) return whole.length
  return isEnd ? text.length : undefined
}

/** `unknown`: the next characters decide. */
function findEndAt(text: string, at: number, start: number): number | 'no' | 'unknown' {
  const letter = text.charAt(at)
  if (letter === '\n') return findLineEnd(text, at)
  const isFullWidth = FULL_WIDTH_TERMINATOR.test(letter)
  if (!isFullWidth && !TERMINATOR.test(letter)) return 'no'

  const closed = skipMatching(text, skipMatching(text, at + 1, TERMINATOR), CLOSING)
  if (closed === text.length) return 'unknown'
  if (isFullWidth) return closed
  if (!/\s/u.test(text.charAt(closed))) return 'no'
  const next = skipMatching(text, closed, /\s/u)
  if (next === text.length) return 'unknown'
  return mayEndSentence(text.slice(start, at + 1), text.charAt(next)) ? next : 'no'
}

function findLineEnd(text: string, at: number): number | 'no' | 'unknown' {
  if (at + 1 === text.length) return 'unknown'
  return BLOCK.test(text.charAt(at + 1)) ? at + 1 : 'no'
}

function findCut(text: string, start: number): number {
  const part = text.slice(start, start + MAX_SENTENCE_LENGTH)
  const afterComma = part.search(/[,;:–—)]\s+[^,;:–—)]*$/u)
  if (afterComma >= SHORTEST_PART)
    return skipMatching(text.slice(0, start + MAX_SENTENCE_LENGTH), start + afterComma + 1, /\s/u)
  const space = part.lastIndexOf(' ')
  if (space >= SHORTEST_PART) return start + space + 1
  // Keep surrogate pairs together.
  const isPair = /[\uD800-\uDBFF]$/u.test(part)
  return start + MAX_SENTENCE_LENGTH - (isPair ? 1 : 0)
}

function skipMatching(text: string, from: number, letters: RegExp): number {
  let at = from
  while (at < text.length && letters.test(text.charAt(at))) at += 1
  return at
}

const toWordSet = (list: string) => new Set(list.split(' '))
const BEFORE_A_NAME = toWordSet(
  'mr mrs ms dr prof st sen rep gov gen capt lt sgt rev hon vs cf approx ca e.g i.e',
)
const BEFORE_A_NUMBER = toWordSet(
  'no nos fig figs vol p pp ch sec art eq jan feb mar apr jun jul aug sep sept oct nov dec',
)

/** Whether the sentence can end at the stop that `upToStop` ends with, given the next character. */
function mayEndSentence(upToStop: string, next: string): boolean {
  // A sentence does not start with a lower-case letter.
  if (/\p{Ll}/u.test(next)) return false
  if (!upToStop.endsWith('.')) return true

  const word = /[^\s("'“‘[*_]*(?=\.$)/u.exec(upToStop)?.[0] ?? ''
  const isListNumber = /^\d+\.$/u.test(upToStop)
  const isInitial = /^(?:\p{Lu}\.)*\p{Lu}$/u.test(word) && word !== 'I'
  if (isListNumber || isInitial) return false
  if (BEFORE_A_NUMBER.has(word.toLowerCase())) return !/\d/u.test(next)
  return !BEFORE_A_NAME.has(word.toLowerCase())
}
