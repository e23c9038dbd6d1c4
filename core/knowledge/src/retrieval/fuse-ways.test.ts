import type { EvidenceItem, SourceId } from '@parley/contracts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fuseWays } from './retrieve.ts'

const item = (text: string, score: number, kind: EvidenceItem['kind'] = 'chunk'): EvidenceItem => ({
  kind,
  text,
  namespace: 'general',
  source: { id: 'src_1' as SourceId, title: 'Notes' },
  place: {},
  score,
})

const textsOf = (items: readonly EvidenceItem[]) =>
  items.toSorted((a, b) => b.score - a.score).map(({ kind, text }) => `${kind} ${text}`)

/** Of all words of the question, together in one place. */
const ALL_WORDS = 1.5 / 61

test.each<[string, readonly EvidenceItem[], readonly EvidenceItem[], readonly string[]]>([
  ['both ways before either', [item('a', 0.01), item('b', 0.009)], [item('b', 0.8)], ['chunk b', 'chunk a']],
  ['what no word finds', [], [item('far', 0.3), item('near', 0.9)], ['chunk near', 'chunk far']],
  ['not what lies the other way', [], [item('a', -0.2), item('b', 0)], []],
  [
    'a fact is not the chunk of the same words',
    [item('a', 0.02, 'fact')],
    [item('a', 0.9)],
    ['fact a', 'chunk a'],
  ],
  [
    'all words before what is merely near',
    [item('said', ALL_WORDS)],
    [item('near', 0.9)],
    ['chunk said', 'chunk near'],
  ],
  [
    'what is near before a stray word',
    [item('stray', ALL_WORDS * 0.2)],
    [item('near', 0.6)],
    ['chunk near', 'chunk stray'],
  ],
])('[K5] %s', (_, byWords, byVector, expected) => {
  expect(textsOf(fuseWays(byWords, byVector))).toEqual(expected)
})

const items = fc.array(
  fc.record({
    text: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    score: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
)

test('[K5] nothing that words found is lost or worth less, and all stays as it was where nothing is near', () => {
  fc.assert(
    fc.property(items, items, (words, vectors) => {
      const byWords = words.map(({ text, score }) => item(text, score))
      const fused = fuseWays(
        byWords,
        vectors.map(({ text, score }) => item(text, score)),
      )
      for (const [index, { text, score }] of byWords.entries()) {
        expect(fused[index]?.text).toBe(text)
        expect(fused[index]?.score).toBeGreaterThanOrEqual(score)
      }
      expect(fuseWays(byWords, [])).toEqual(byWords)
    }),
  )
})
