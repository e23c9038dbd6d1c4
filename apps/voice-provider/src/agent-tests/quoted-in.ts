/** What stands in quotation marks, and the sentence so far, which says how it is meant. */
export interface Quoted {
  /** More than one where an “or” joins them. */
  readonly texts: readonly string[]
  readonly before: string
}

const QUOTES = /"([^"]+)"|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»/g
const JOINED = /^,? or $/i

export function quotedIn(text: string): readonly Quoted[] {
  const found: Quoted[] = []
  let end = 0
  for (const match of text.matchAll(QUOTES)) {
    const quoted = match
      .slice(1)
      .find((one) => one !== undefined)
      ?.trim()
    if (!quoted) continue
    const last = found.at(-1)
    const before = text.slice(0, match.index)
    if (last && JOINED.test(before.slice(end))) {
      found[found.length - 1] = { ...last, texts: [...last.texts, quoted] }
    } else {
      found.push({ texts: [quoted], before: before.slice(before.search(/[^.!?;]*$/)) })
    }
    end = match.index + match[0].length
  }
  return found
}
