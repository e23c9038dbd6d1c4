import { randomInt } from 'node:crypto'

/** A string that stands in one private place and nowhere else. */
export interface Canary {
  readonly place: string
  /** As it was planted. */
  readonly word: string
}

/** A word that could be a name, so that what reads names and facts takes it for one. */
export const canary = (place: string): Canary => ({ place, word: `Canary${letters()}` })

const CONSONANTS = 'bcdfghjkmpqvwxz'
const letters = () =>
  Array.from({ length: 14 }, () => CONSONANTS[randomInt(CONSONANTS.length)] ?? 'q').join('')

/** What was read somewhere. */
export interface Seen {
  readonly where: string
  readonly text: string
}

/** Every canary that shows, and where. */
export const sightings = (seen: readonly Seen[], canaries: readonly Canary[]): readonly string[] =>
  seen.flatMap(({ where, text }) => {
    const forms = readings(text)
    return canaries.filter(({ word }) => shows(word, forms)).map(({ place }) => `${place} shows in ${where}`)
  })

interface Readings {
  readonly exact: string
  /** Without case, marks between letters and escapes. */
  readonly folded: string
}

const readings = (text: string): Readings => ({ exact: text, folded: folded(text) })

/** Letters and digits alone: a word that was split, quoted, escaped or written otherwise is still found. */
const folded = (text: string) =>
  text
    .replace(/(?:\\u|%u?)([0-9a-f]{4}|[0-9a-f]{2})/gi, (_, code: string) =>
      String.fromCharCode(parseInt(code, 16)),
    )
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')

const shows = (word: string, { exact, folded: text }: Readings): boolean =>
  text.includes(folded(word.replace(/^Canary/, ''))) || encodings(word).some((form) => exact.includes(form))

/** In base64 a word looks otherwise by where it begins; its ends mix with what is around it. */
function encodings(word: string): readonly string[] {
  return [word, word.toLowerCase(), word.toUpperCase()].flatMap((written) => [
    Buffer.from(written).toString('hex'),
    ...[0, 1, 2].map((before) => {
      const encoded = Buffer.from(`${'-'.repeat(before)}${written}`).toString('base64url')
      return encoded.slice(before === 0 ? 0 : 4, -4)
    }),
  ])
}
