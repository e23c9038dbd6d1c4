/** Escapes invisible and direction-changing characters in text that people decide on. */
export const escapeInvisible = (text: string): string =>
  text.replace(INVISIBLE, (unseen) => `\\u{${unseen.codePointAt(0)?.toString(16)}}`)

/** Control characters, ignorable characters and unusual blanks; newlines and tabs stay. */
const INVISIBLE = /[^\P{C}\n\t]|\p{Default_Ignorable_Code_Point}|[^\P{Z} ]|\u2800/gu
