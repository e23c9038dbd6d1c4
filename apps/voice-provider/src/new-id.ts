import { randomBytes } from 'node:crypto'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** An id as the vendor's look: what it is of, and 26 letters and digits that nobody guesses. */
export function newId(prefix: string): string {
  const letters = Array.from(randomBytes(26), (byte) => ALPHABET[byte % ALPHABET.length])
  return `${prefix}_${letters.join('')}`
}
