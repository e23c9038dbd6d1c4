/**
 * The same text with what stands in quotation marks blotted out, so that nobody is taken at others' words. What comes
 * after a word of naming is a name, and stays.
 */
export function maskQuotes(text: string): string {
  return text.replace(QUOTED, (quoted, at: number) =>
    isNamed(text, at) && quoted.length < LONGEST_NAME ? quoted : BLOT.repeat(quoted.length),
  )
}

export const BLOT = '\u25A0'

const LONGEST_NAME = 80

// A mark that is never closed reaches to the end of its paragraph.
const QUOTED =
  /["“„«][^]*?(?:["”“»]|\n\s*\n|$)|‘[^‘]*?(?:’(?!\p{L})|\n\s*\n|$)|(?<!\S)'\p{Lu}[^']*(?:'\p{L}[^']*)*?[.,!?]'(?!\p{L})|`[^`\n]*`/gu

const isNamed = (text: string, at: number): boolean =>
  /(?:called|named|titled|entitled|wrote|published|heißt|nannte)\s+(?:it\s+|her\s+|him\s+)?$/u.test(
    text.slice(Math.max(0, at - 30), at),
  )
