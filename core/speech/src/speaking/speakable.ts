/** What is said of written text: its words, without the signs that only eyes read. Empty where no word is left. */
export function speakable(written: string): string {
  if (FENCED_CODE.test(written)) return ''
  let text = written
  for (const [sign, said] of SIGNS) text = text.replace(sign, said)
  return /[\p{L}\p{N}]/u.test(text) ? text.trim() : ''
}

const FENCED_CODE = /^\s*(?:```[^`\n]*|~~~[^\n]*)(?:\n|$)/u

const SIGNS: readonly (readonly [sign: RegExp, said: string])[] = [
  // Lines: quotes, headings, entries of lists, rules, tables.
  [/^[ \t]*(?:>[ \t]*)+/gmu, ''],
  [/^[ \t]*#{1,6}[ \t]+/gmu, ''],
  [/^[ \t]*[-*+][ \t]+(?:\[[ xX]\][ \t]+)?/gmu, ''],
  [/^[ \t|:*_=-]+$/gmu, ''],
  [/^[ \t]*\|[ \t]*|[ \t]*\|[ \t]*$/gmu, ''],
  [/[ \t]+\|[ \t]+/gu, ', '],
  // References.
  [/!?\[([^\]]*)\]\([^)]*\)/gu, '$1'],
  [/\s*\[\^?\d+\]/gu, ''],
  [
    /<?https?:\/\/(?:[^\s/@]*@)?(?:www\.)?([\w-]+(?:\.[\w-]+)*)(?::\d+)?(?:[/?#](?:[^\s<>)\]]*[^\s<>)\].,:;!?])?)?>?/gu,
    '$1',
  ],
  [/<\/?[a-z][^<>]*>/giu, ''],
  // Emphasis, code within a line, and names_of_variables.
  [/\*\*|__|~~|`+/gu, ''],
  [/(?<![\p{L}\p{N}])[*_](?=\S)|(?<=\S)[*_](?![\p{L}\p{N}])/gu, ''],
  [/(?<=[\p{L}\p{N}])_(?=[\p{L}\p{N}])/gu, ' '],
  [/["“”«»„]/gu, ''],
  [/\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\uFE0F|\u200D|\u20E3/gu, ''],
  [/\s+/gu, ' '],
]
