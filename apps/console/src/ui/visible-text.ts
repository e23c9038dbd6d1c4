/** Text that a person decides by, with what would not be seen, or would turn it around, written out. */
export const visibleText = (text: string): string =>
  text.replace(UNSEEN, (unseen) => `\\u{${unseen.codePointAt(0)?.toString(16)}}`)

/** Controls, what is ignored when drawn, and every blank that is not the space bar's; lines and tabs stay. */
const UNSEEN = /[^\P{C}\n\t]|\p{Default_Ignorable_Code_Point}|[^\P{Z} ]|\u2800/gu
