import { rendered, type VariableValue } from './variable-value.ts'

/** As much of a value as fits; undefined where nothing of it does. */
export function cutToFit(value: VariableValue, room: number): string | undefined {
  const whole = rendered(value)
  if (whole.length <= room) return whole === '' ? undefined : whole
  return value.kind === 'text' ? cutText(whole, room) : cutEntries(value, room)
}

/** The most entries that fit: more of them are never shorter. */
function cutEntries(value: Extract<VariableValue, { kind: 'entries' }>, room: number): string | undefined {
  let fit = 0
  let tooMany = value.entries.length
  while (tooMany - fit > 1) {
    const middle = Math.floor((fit + tooMany) / 2)
    if (rendered(value, middle).length <= room) fit = middle
    else tooMany = middle
  }
  return fit === 0 ? undefined : rendered(value, fit)
}

const ELLIPSIS = ' …'
const WORDS = new Intl.Segmenter(undefined, { granularity: 'word' })

/** Ends after a whole word, in any language, and shows that there was more. */
function cutText(text: string, room: number): string | undefined {
  const most = room - ELLIPSIS.length
  // A word in reach of the border is looked at whole; how long what follows it is says nothing.
  const reach = text.slice(0, Math.max(most, 0) + LONGEST_WORD)
  let end = 0
  for (const { index, segment, isWordLike } of WORDS.segment(reach)) {
    const stop = index + segment.length
    if (stop > most) break
    const isWhole = stop < reach.length || reach.length === text.length
    if (isWordLike && isWhole) end = stop
  }
  return end === 0 ? undefined : `${text.slice(0, end)}${ELLIPSIS}`
}

const LONGEST_WORD = 200
