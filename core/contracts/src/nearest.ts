/** The candidate that was most likely meant, if any is close. */
export function nearest(written: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: editsBetween(written.toLowerCase(), candidate) }))
    .toSorted((a, b) => a.distance - b.distance)
  const best = ranked[0]
  return best && best.distance <= Math.max(1, Math.round(best.candidate.length * 0.4))
    ? best.candidate
    : undefined
}

/** Levenshtein's distance. */
function editsBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [above, letter] of from.split('').entries()) {
    const next = [above + 1]
    for (const [left, other] of to.split('').entries()) {
      const replaced = (row[left] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[left + 1] ?? 0) + 1, (next[left] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
