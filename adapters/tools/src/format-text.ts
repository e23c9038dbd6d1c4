/** Escapes characters in untrusted text that could hide, reverse or overwrite parts of it. */
export const escapeInvisible = (text: string): string =>
  text
    .toWellFormed()
    .replace(
      /(?![\n\t])[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu,
      (hidden) => `\\u{${hidden.codePointAt(0)?.toString(16)}}`,
    )

export const cutText = (text: string, longest: number): string =>
  text.length > longest ? `${text.slice(0, longest)} …` : text

/** "a, b and 3 more". */
export function formatShortList(items: readonly string[], most: number): string {
  const shown = items.slice(0, most).join(', ')
  return items.length > most ? `${shown} and ${items.length - most} more` : shown
}
