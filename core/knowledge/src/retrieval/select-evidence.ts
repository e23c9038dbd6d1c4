import type { EvidenceItem } from '@parley/contracts'

/**
 * The best of what was found: nothing twice, and not all of it from one source, or facts alone, while others have
 * something to say.
 */
export function selectEvidence(found: readonly EvidenceItem[], limit: number): readonly EvidenceItem[] {
  const distinct = withoutRepeats(found.toSorted((a, b) => b.score - a.score))
  const mostOfOne = Math.max(2, Math.ceil(limit / 2))
  const taken = new Map<string, number>()
  const first: EvidenceItem[] = []
  const rest: EvidenceItem[] = []
  for (const item of distinct) {
    const crowds = item.kind === 'fact' ? [item.source.id, item.kind] : [item.source.id]
    const hasRoom = crowds.every((crowd) => (taken.get(crowd) ?? 0) < mostOfOne)
    if (hasRoom) for (const crowd of crowds) taken.set(crowd, (taken.get(crowd) ?? 0) + 1)
    if (hasRoom) first.push(item)
    else rest.push(item)
  }
  return [...first, ...rest].slice(0, limit).toSorted((a, b) => b.score - a.score)
}

function withoutRepeats(items: readonly EvidenceItem[]): readonly EvidenceItem[] {
  const kept: { readonly item: EvidenceItem; readonly words: ReadonlySet<string> }[] = []
  for (const item of items) {
    const words = wordsOf(item.text)
    // A fact and the chunk that it stands in say different things of where.
    const isRepeat = kept.some((other) => other.item.kind === item.kind && areAlike(other.words, words))
    if (!isRepeat) kept.push({ item, words })
  }
  return kept.map(({ item }) => item)
}

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [text],
  )

/** How much of all their words two texts have to share. */
const ALIKE = 0.9

function areAlike(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  if (Math.min(a.size, b.size) < ALIKE * Math.max(a.size, b.size)) return false
  let shared = 0
  for (const word of a) if (b.has(word)) shared += 1
  return shared / (a.size + b.size - shared) >= ALIKE
}
