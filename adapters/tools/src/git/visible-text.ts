/** Text of others as a person is shown it: what could hide, turn around or overwrite a part of it is spelt out. */
export const visibleText = (text: string): string =>
  text
    .toWellFormed()
    .replace(
      /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu,
      (hidden) => `\\u{${hidden.codePointAt(0)?.toString(16)}}`,
    )
