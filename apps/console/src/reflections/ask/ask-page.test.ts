import type { AskReflection, EvidenceItem, RetrievalResult, SourceId } from '@parley/contracts'
import { expect, test } from 'vitest'
import { describeResult } from './ask-page.tsx'

const item: EvidenceItem = {
  kind: 'chunk',
  text: 'I live in Oslo.',
  namespace: 'general',
  source: { id: 'src_1' as SourceId, title: 'Letter' },
  place: {},
  score: 0.02,
}

test.each<[RetrievalResult, AskReflection['audience'], string]>([
  [{ evidence: [] }, 'private', 'No results.'],
  [{ evidence: [item], tookMs: 0.4 }, 'public', '1 result in 1 ms, public only.'],
  [
    { evidence: [item, item], tookMs: 700.2, partial: true },
    undefined,
    '2 results in 700 ms. The search timed out, so some results may be missing.',
  ],
])('[K5] search results are described: %#', (result, audience, text) => {
  expect(describeResult(result, audience)).toBe(text)
})
