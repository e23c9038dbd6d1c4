import type { Fact, Finding, Patch } from '@parley/contracts'
import { expect, test } from 'vitest'
import { describeApproval } from './patches-page.tsx'

const patch = (facts: number, supersedes: number, findings: readonly Finding[] = []): Patch =>
  ({
    status: 'proposed',
    facts: Array.from({ length: facts }, (_, at) => ({ id: `fct_${at}`, state: 'candidate' }) as Fact),
    supersedes: Array.from({ length: supersedes }, (_, at) => ({ id: `fct_old${at}` }) as Fact),
    findings: [...findings],
  }) as unknown as Patch
const ask: Finding = { rule: 'contradiction', severity: 'ask', message: '' }

test.each<[string, readonly Patch[], string]>([
  ['additions', [patch(2, 0), patch(1, 0)], 'Adds 3 facts. No problems found.'],
  [
    'replacements and flagged changes',
    [patch(1, 1, [ask]), patch(0, 0)],
    'Adds 1 fact and replaces 1. 1 of the changes is flagged: review it first.',
  ],
])('[K3] the question to approve all names %s', (_, patches, expected) =>
  expect(describeApproval(patches)).toBe(expected),
)
