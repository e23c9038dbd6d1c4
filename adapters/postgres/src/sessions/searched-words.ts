/** Signs of no meaning, which stand in what is searched for a backslash, and for what JSON can only write as an escape. */
export const BACKSLASH_SIGN = '\ue000'
export const ESCAPE_SIGN = '\ue001'

/** The words as JSON, and as they stand in what is searched. */
export function searchedWords(search: string): { readonly asJson: string; readonly words: string } {
  const json = JSON.stringify(search)
  const readable = json.replaceAll('\\\\', BACKSLASH_SIGN).replaceAll(/\\u[0-9a-f]{4}/g, ESCAPE_SIGN)
  return { asJson: json.slice(1, -1), words: String(JSON.parse(readable)) }
}
