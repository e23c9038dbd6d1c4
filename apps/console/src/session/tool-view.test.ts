import { expect, test } from 'vitest'
import type { CallSummary } from '@parley/contracts'
import { type Found, decisionInWords, foundIn } from './tool-view.tsx'

const describeDecision = (known: Partial<CallSummary>) =>
  decisionInWords({ callId: 'c1' as CallSummary['callId'], askedAt: '2026-03-04T05:06:07.000Z', ...known })

test.each<[Partial<CallSummary>, string]>([
  [{ verdict: 'allowed', by: 'person' }, 'Allowed by a person.'],
  [{ verdict: 'refused', by: 'person' }, 'Refused by a person.'],
  [
    { verdict: 'refused', by: 'policy', reason: 'It is outside.' },
    'Refused by the rules of this server. It is outside.',
  ],
  [{ verdict: 'allowed', by: 'policy', reason: 'x' }, 'Allowed by the rules of this server, without asking.'],
  [{}, ''],
])('[S13] %j', (known, words) => {
  expect(describeDecision(known)).toBe(words)
})

const TEA = { text: 'Edda drinks tea.', title: 'Curriculum vitae' }

test.each<[string, unknown, readonly Found[] | undefined]>([
  ['as a model is told', { evidence: [{ text: TEA.text, source: TEA.title }] }, [TEA]],
  ['as an agent in a call is told', { evidence: [{ text: TEA.text, source: { title: TEA.title } }] }, [TEA]],
  ['nothing was found', { evidence: [] }, []],
  ['a source without a name', { evidence: [{ text: TEA.text }] }, [{ text: TEA.text, title: '' }]],
  ['what has no words', { evidence: [{ source: 'x' }, null] }, []],
  ['another tool', { files: [] }, undefined],
  ['no object', null, undefined],
])('%s', (_, told, expected) => {
  expect(foundIn(JSON.stringify(told))).toEqual(expected)
})

test('what is no JSON at all', () => {
  expect(foundIn('done.')).toBeUndefined()
})
