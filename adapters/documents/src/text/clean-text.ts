// Controls, invisible marks of direction, and characters that only machines see: none of them is wording. The joiners
// stay, since scripts and emoji need them.
const INVISIBLE =
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu

const PLAIN = /^[\t\n -~]*$/

/** The same wording in one form: composed letters, line feeds, nothing invisible. */
export function cleanText(text: string): string {
  if (PLAIN.test(text)) return text
  return text
    .toWellFormed()
    .replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
    .replaceAll(INVISIBLE, '')
    .normalize('NFC')
}
