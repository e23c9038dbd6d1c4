/** Text that a person decides by, with what would not be seen, or would turn it around, written out. */
export const visibleText = (text: string): string =>
  text.replace(/[^\P{C}\n\t]|\p{Zl}|\p{Zp}/gu, (unseen) => `\\u{${unseen.codePointAt(0)?.toString(16)}}`)
