const LONGEST = 80

/** A session is named after the first line that was said in it. */
export function sessionTitle(text: string): string {
  const line =
    text
      .toWellFormed()
      .trim()
      .split('\n', 1)[0]
      ?.replace(/[\s\p{Cc}]+/gu, ' ')
      .trim() ?? ''
  if (line.length <= LONGEST) return line
  const cut = line.slice(0, LONGEST - 1)
  const atWord = cut.slice(0, Math.max(0, cut.lastIndexOf(' '))).trimEnd()
  return `${(atWord || cut).replace(/[\uD800-\uDBFF]$/, '')}…`
}
