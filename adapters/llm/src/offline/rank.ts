import type { Passage } from './passage.ts'

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

const WORDS = new Intl.Segmenter(undefined, { granularity: 'word' })

const TOO_COMMON = new Set(
  (
    'a about all also am an and any are as at be been being but by can could did do does for from get give had has have ' +
    'he her him his how i if in into is it its just know list me mine my name of on or our please say she should show so ' +
    'some tell than that the their them then there these they this those to us was we were what when where which who ' +
    'whom whose why will with would you your'
  ).split(' '),
)

/** The telling words of a text, in the form in which their variants meet. */
export function stemsOf(text: string): readonly string[] {
  return [...WORDS.segment(text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase())]
    .filter(({ isWordLike, segment }) => isWordLike && !TOO_COMMON.has(segment))
    .map(({ segment }) => stem(segment))
}

const ENDINGS: readonly (readonly [RegExp, string])[] = [
  [/['’]s$/, ''],
  [/ies$/, 'y'],
  [/(?<=.{3})(ss|sh|ch|x)es$/, '$1'],
  [/(?<=.{3})(?:ing|ed)$/, ''],
  [/(?<=[^su].)s$|(?<=[^s]{3})s$/, ''],
  [/(?<=.{3})e$/, ''],
]

const stem = (word: string) =>
  ENDINGS.reduce((form, [ending, instead]) => form.replace(ending, instead), word)
