import type { AskReflection, EvidenceItem, Retrieved, SourceId } from '@parley/contracts'
import { expect, test } from 'vitest'
import { foundInWords } from './ask-page.tsx'

const item: EvidenceItem = {
  kind: 'chunk',
  text: 'I live in Oslo.',
  namespace: 'general',
  source: { id: 'src_1' as SourceId, title: 'Letter' },
  place: {},
  score: 0.02,
}

test.each<[Retrieved, AskReflection['audience'], string]>([
  [{ evidence: [] }, 'private', 'Nothing found.'],
  [{ evidence: [item], tookMs: 0.4 }, 'public', '1 piece of evidence in 1 ms, as the public sees it.'],
  [
    { evidence: [item, item], tookMs: 700.2, partial: true },
    undefined,
    '2 pieces of evidence in 700 ms. The time was up before all was looked through.',
  ],
])('[K5] what was found reads: %#', (found, audience, words) => {
  expect(foundInWords(found, audience)).toBe(words)
})
