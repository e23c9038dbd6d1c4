/** What stands in quotation marks, and the sentence so far, which says how it is meant. */
export interface Quoted {
  readonly text: string
  readonly before: string
}

const QUOTES = /"([^"]+)"|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»/g

export const quotedIn = (text: string): readonly Quoted[] =>
  [...text.matchAll(QUOTES)].flatMap((match) => {
    const quoted = match
      .slice(1)
      .find((found) => found !== undefined)
      ?.trim()
    if (!quoted) return []
    const before = text.slice(0, match.index)
    return [{ text: quoted, before: before.slice(before.search(/[^.!?;]*$/)) }]
  })
