import type { EvidenceItem, SourceId } from '@parley/contracts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fuseResults } from './retrieve.ts'

const item = (text: string, score: number, kind: EvidenceItem['kind'] = 'chunk'): EvidenceItem => ({
  kind,
  text,
  namespace: 'general',
  source: { id: 'src_1' as SourceId, title: 'Notes' },
  place: {},
  score,
})

const listTexts = (items: readonly EvidenceItem[]) =>
  items.toSorted((a, b) => b.score - a.score).map(({ kind, text }) => `${kind} ${text}`)

/** Score of a text with all words of the question. */
const ALL_WORDS = 1.5 / 61

test.each<[string, readonly EvidenceItem[], readonly EvidenceItem[], readonly string[]]>([
  [
    'a result of both searches ranks first',
    [item('a', 0.01), item('b', 0.009)],
    [item('b', 0.8)],
    ['chunk b', 'chunk a'],
  ],
  ['results without a matching word', [], [item('far', 0.3), item('near', 0.9)], ['chunk near', 'chunk far']],
  ['no opposite vectors', [], [item('a', -0.2), item('b', 0)], []],
  [
    'a fact and a chunk with the same words stay separate',
    [item('a', 0.02, 'fact')],
    [item('a', 0.9)],
    ['fact a', 'chunk a'],
  ],
  [
    'all words rank above a similar vector',
    [item('said', ALL_WORDS)],
    [item('near', 0.9)],
    ['chunk said', 'chunk near'],
  ],
  [
    'a similar vector ranks above a single word',
    [item('stray', ALL_WORDS * 0.2)],
    [item('near', 0.6)],
    ['chunk near', 'chunk stray'],
  ],
])('[K5] %s', (_, byWords, byVector, expected) => {
  expect(listTexts(fuseResults(byWords, byVector))).toEqual(expected)
})

const items = fc.array(
  fc.record({
    text: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    score: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
)

test('[K5] word results keep their order and at least their score; without vectors nothing changes', () => {
  fc.assert(
    fc.property(items, items, (words, vectors) => {
      const byWords = words.map(({ text, score }) => item(text, score))
      const fused = fuseResults(
        byWords,
        vectors.map(({ text, score }) => item(text, score)),
      )
      for (const [index, { text, score }] of byWords.entries()) {
        expect(fused[index]?.text).toBe(text)
        expect(fused[index]?.score).toBeGreaterThanOrEqual(score)
      }
      expect(fuseResults(byWords, [])).toEqual(byWords)
    }),
  )
})
