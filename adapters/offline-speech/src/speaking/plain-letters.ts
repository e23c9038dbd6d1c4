// The voices know English letters and few signs; what they do not know they leave out.
const SAID: readonly (readonly [sign: RegExp, said: string])[] = [
  [/[‘’]/gu, "'"],
  [/[–—―]/gu, ', '],
  [/…/gu, '...'],
  [/&/gu, ' and '],
  [/€\s?(\d[\d.,]*)/gu, '$1 euros '],
  [/£\s?(\d[\d.,]*)/gu, '$1 pounds '],
  [/°/gu, ' degrees '],
  [/ß/gu, 'ss'],
  [/æ/giu, 'ae'],
  [/œ/giu, 'oe'],
  [/ø/giu, 'o'],
  [/ł/giu, 'l'],
  [/[^\x21-\x7E]+/gu, ' '],
]

// A minute of speech, which takes seconds to make.
const LONGEST = 1_000

/** Text as the voices can read it, bounded; empty where there is nothing to say. */
export function plainLetters(text: string): string {
  let plain = text.slice(0, LONGEST).normalize('NFKD').replace(/\p{M}/gu, '')
  for (const [sign, said] of SAID) plain = plain.replace(sign, said)
  plain = plain.trim().slice(0, LONGEST)
  return /[a-z0-9]/iu.test(plain) ? plain : ''
}
