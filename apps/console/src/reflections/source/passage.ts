/** A passage of a source by its first and its last words, as an address can hold it. */
export interface Passage {
  readonly start?: string
  /** Absent where the first words are all of it. */
  readonly end?: string
}

/** So much of a passage's beginning and of its end tells it from others. */
const ENOUGH = 80

export function passageOf(words: string): Passage {
  const said = words.trim()
  if (said === '') return {}
  if (said.length <= 2 * ENOUGH) return { start: said }
  return { start: wholeWords(said.slice(0, ENOUGH), / \S*$/), end: wholeWords(said.slice(-ENOUGH), /^\S* /) }
}

const wholeWords = (text: string, cut: RegExp): string => text.replace(cut, '') || text

/** Where a passage stands in a text; undefined where it does not. */
export function passageIn(
  text: string,
  { start, end }: Passage,
): readonly [from: number, to: number] | undefined {
  const from = start ? text.indexOf(start) : -1
  if (!start || from < 0) return undefined
  const last = end ? text.indexOf(end, from) : -1
  return [from, last < 0 || !end ? from + start.length : last + end.length]
}

/** What an address may say of a passage. */
export const passageInAddress = ({ start, end }: Readonly<Record<string, unknown>>): Passage => ({
  ...(isSaid(start) && { start: String(start).slice(0, LONGEST) }),
  ...(isSaid(end) && { end: String(end).slice(0, LONGEST) }),
})

const LONGEST = 300

/** The router takes what looks like a number for one. */
const isSaid = (value: unknown) => (typeof value === 'string' && value !== '') || typeof value === 'number'
