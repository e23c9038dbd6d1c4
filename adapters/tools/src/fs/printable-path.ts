/** A path as a person reads it: what could hide or turn around a part of it is spelt out. */
export const printablePath = (path: string): string =>
  path
    .toWellFormed()
    .replace(/[\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, (hidden) =>
      hidden === '\\' ? '\\\\' : `\\u{${hidden.codePointAt(0)?.toString(16)}}`,
    )
