/** Word error rate: missing, added and wrong words divided by the number of spoken words. */
export function computeWordErrorRate(said: string, heard: string): number {
  const expected = splitWords(said)
  const actual = splitWords(heard)
  let row = actual.map((_, index) => index + 1)
  for (const [line, word] of expected.entries()) {
    let before = line
    let left = line + 1
    row = row.map((above, index) => {
      left = Math.min(above + 1, left + 1, before + (word === actual[index] ? 0 : 1))
      before = above
      return left
    })
  }
  return (row.at(-1) ?? expected.length) / expected.length
}

const splitWords = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^a-z' ]/gu, '')
    .split(' ')
    .filter(Boolean)
