import { randomInt } from 'node:crypto'

/** A made-up word that occurs in one private place and nowhere else. */
export interface Canary {
  readonly place: string
  readonly word: string
}

/** The word looks like a name, so that it is learned as one. */
export const createCanary = (place: string): Canary => ({ place, word: `Canary${createLetters()}` })

const CONSONANTS = 'bcdfghjkmpqvwxz'
const createLetters = () =>
  Array.from({ length: 14 }, () => CONSONANTS[randomInt(CONSONANTS.length)] ?? 'q').join('')

/** The text of one page, response or record. */
export interface SurfaceText {
  readonly where: string
  readonly text: string
}

/** Lists the canaries in the texts: which one, and where. */
export const findSightings = (seen: readonly SurfaceText[], canaries: readonly Canary[]): readonly string[] =>
  seen.flatMap(({ where, text }) => {
    const forms = toComparableText(text)
    return canaries
      .filter(({ word }) => containsWord(word, forms))
      .map(({ place }) => `${place} shows in ${where}`)
  })

interface ComparableText {
  readonly exact: string
  /** Only letters and digits, in lower case, without escapes. */
  readonly folded: string
}

const toComparableText = (text: string): ComparableText => ({ exact: text, folded: foldText(text) })

/** Finds words that were split, quoted or escaped. */
const foldText = (text: string) =>
  text
    .replace(/(?:\\u|%u?)([0-9a-f]{4}|[0-9a-f]{2})/gi, (_, code: string) =>
      String.fromCharCode(parseInt(code, 16)),
    )
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')

const containsWord = (word: string, { exact, folded: text }: ComparableText): boolean =>
  text.includes(foldText(word.replace(/^Canary/, ''))) ||
  listEncodings(word).some((form) => exact.includes(form))

/** A word has three base64 forms, by its position. Its ends depend on the text around it and are cut off. */
function listEncodings(word: string): readonly string[] {
  return [word, word.toLowerCase(), word.toUpperCase()].flatMap((written) => [
    Buffer.from(written).toString('hex'),
    ...[0, 1, 2].map((before) => {
      const encoded = Buffer.from(`${'-'.repeat(before)}${written}`).toString('base64url')
      return encoded.slice(before === 0 ? 0 : 4, -4)
    }),
  ])
}
