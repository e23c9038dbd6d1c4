import type { Passage } from './passage.ts'
import { stemsOf } from './stems-of.ts'

export interface Hit {
  readonly passage: Passage
  readonly score: number
}

const K = 1.2
const B = 0.75

/** Passages that share telling words with the query, best first (BM25; earlier wins a tie). */
export function rank(passages: readonly Passage[], query: string): readonly Hit[] {
  const wanted = new Set(stemsOf(query))
  if (wanted.size === 0) return []
  const documents = passages.map((passage) => ({ passage, stems: stemsOf(passage.text) }))
  const averageLength =
    documents.reduce((sum, { stems }) => sum + stems.length, 0) / Math.max(1, documents.length)
  const holders = new Map<string, number>()
  for (const { stems } of documents) {
    for (const stem of new Set(stems)) holders.set(stem, (holders.get(stem) ?? 0) + 1)
  }
  const rarity = (stem: string) => {
    const held = holders.get(stem) ?? 0
    return Math.log(1 + (documents.length - held + 0.5) / (held + 0.5))
  }
  return documents
    .map(({ passage, stems }) => ({ passage, score: scoreOf(stems, wanted, rarity, averageLength) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
}

function scoreOf(
  stems: readonly string[],
  wanted: ReadonlySet<string>,
  rarity: (stem: string) => number,
  averageLength: number,
): number {
  const counts = new Map<string, number>()
  for (const stem of stems) if (wanted.has(stem)) counts.set(stem, (counts.get(stem) ?? 0) + 1)
  const lengthFactor = K * (1 - B + (B * stems.length) / averageLength)
  let score = 0
  for (const [stem, count] of counts) score += (rarity(stem) * count * (K + 1)) / (count + lengthFactor)
  return score
}
