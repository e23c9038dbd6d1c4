import type { EvidenceItem } from '@parley/contracts'

/** As the ways within the database are fused. */
const RANK_BASE = 60

/**
 * What was found by words and facts, with what lies near as a vector: by reciprocal rank, the nearer the more, near
 * chunks add to what their words gave them. Where nothing lies near, all stays as it was.
 */
export function fuseWays(
  byWords: readonly EvidenceItem[],
  byVector: readonly EvidenceItem[],
): readonly EvidenceItem[] {
  const near = new Map(ranked(byVector).map((item) => [keyOf(item), item]))
  const known = new Set(byWords.map(keyOf))
  const both = byWords.map((item) => ({ ...item, score: item.score + (near.get(keyOf(item))?.score ?? 0) }))
  const others = [...near].flatMap(([key, item]) => (known.has(key) ? [] : [item]))
  return [...both, ...others]
}

function ranked(byVector: readonly EvidenceItem[]): readonly EvidenceItem[] {
  const nearest = byVector.filter(({ score }) => score > 0).toSorted((a, b) => b.score - a.score)
  return nearest.map((item, index) => ({ ...item, score: item.score / (RANK_BASE + index + 1) }))
}

const keyOf = ({ kind, source, place, text }: EvidenceItem): string =>
  JSON.stringify([kind, source.id, place.page, place.line, place.offset, text])
