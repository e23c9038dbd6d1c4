import type { CallSummary } from '@parley/contracts'
import { expect, test } from 'vitest'
import { decisionInWords } from './decision-in-words.ts'

const told = (known: Partial<CallSummary>) =>
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
  expect(told(known)).toBe(words)
})
