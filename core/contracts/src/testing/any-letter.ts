import fc from 'fast-check'

const FIRST_SURROGATE = 0xd800
const SURROGATES = 0x800

/**
 * Any code point of Unicode, as a unit for strings. It is what fast-check calls `binary`, but that makes a table of
 * them all first, which takes a second and 145 MB.
 */
export const anyLetter: fc.Arbitrary<string> = fc.nat({ max: 0x10ffff - SURROGATES }).map(
  (place) => String.fromCodePoint(place < FIRST_SURROGATE ? place : place + SURROGATES),
  (letter) => {
    const code = typeof letter === 'string' ? (letter.codePointAt(0) ?? -1) : -1
    if (code < 0 || String.fromCodePoint(code) !== letter || !letter.isWellFormed())
      throw new TypeError('It is not one code point.')
    return code < FIRST_SURROGATE ? code : code - SURROGATES
  },
)
