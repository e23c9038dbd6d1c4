import type { Passage } from '../../app/search-params.ts'

/** Characters of the start and of the end that identify a passage. */
const KEPT_LENGTH = 80

export function toPassage(words: string): Passage {
  const text = words.trim()
  if (text === '') return {}
  if (text.length <= 2 * KEPT_LENGTH) return { start: text }
  return {
    start: cutToWholeWords(text.slice(0, KEPT_LENGTH), / \S*$/),
    end: cutToWholeWords(text.slice(-KEPT_LENGTH), /^\S* /),
  }
}

const cutToWholeWords = (text: string, cut: RegExp): string => text.replace(cut, '') || text

export function findPassage(
  text: string,
  { start, end }: Passage,
): readonly [from: number, to: number] | undefined {
  const from = start ? text.indexOf(start) : -1
  if (!start || from < 0) return undefined
  const last = end ? text.indexOf(end, from) : -1
  return [from, last < 0 || !end ? from + start.length : last + end.length]
}
