import { expect, test } from 'vitest'
import type { ToolCallSummary } from '@parley/contracts'
import { type FoundPassage, describeDecision, parseSearchResults } from './tool-view.tsx'

const describeCall = (known: Partial<ToolCallSummary>) =>
  describeDecision({
    callId: 'c1' as ToolCallSummary['callId'],
    askedAt: '2026-03-04T05:06:07.000Z',
    ...known,
  })

test.each<[Partial<ToolCallSummary>, string]>([
  [{ verdict: 'allowed', by: 'person' }, 'Allowed by a person.'],
  [{ verdict: 'refused', by: 'person' }, 'Refused by a person.'],
  [
    { verdict: 'refused', by: 'policy', reason: 'It is outside.' },
    'Refused by this server’s rules. It is outside.',
  ],
  [{ verdict: 'allowed', by: 'policy', reason: 'x' }, 'Allowed automatically by this server’s rules.'],
  [{}, ''],
])('[S13] %j', (known, words) => {
  expect(describeCall(known)).toBe(words)
})

const TEA = { text: 'Edda drinks tea.', title: 'Curriculum vitae' }

test.each<[string, unknown, readonly FoundPassage[] | undefined]>([
  ['the format for models', { evidence: [{ text: TEA.text, source: TEA.title }] }, [TEA]],
  ['the format for voice agents', { evidence: [{ text: TEA.text, source: { title: TEA.title } }] }, [TEA]],
  ['nothing was found', { evidence: [] }, []],
  ['a source without a name', { evidence: [{ text: TEA.text }] }, [{ text: TEA.text, title: '' }]],
  ['an item without text', { evidence: [{ source: 'x' }, null] }, []],
  ['another tool', { files: [] }, undefined],
  ['no object', null, undefined],
])('%s', (_, output, expected) => {
  expect(parseSearchResults(JSON.stringify(output))).toEqual(expected)
})

test('invalid JSON', () => {
  expect(parseSearchResults('done.')).toBeUndefined()
})
