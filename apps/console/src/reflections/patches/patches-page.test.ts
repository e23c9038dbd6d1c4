import type { Fact, Finding, Patch } from '@parley/contracts'
import { expect, test } from 'vitest'
import { allInWords } from './patches-page.tsx'

const patch = (facts: number, supersedes: number, findings: readonly Finding[] = []): Patch =>
  ({
    status: 'proposed',
    facts: Array.from({ length: facts }, (_, at) => ({ id: `fct_${at}`, state: 'candidate' }) as Fact),
    supersedes: Array.from({ length: supersedes }, (_, at) => ({ id: `fct_old${at}` }) as Fact),
    findings: [...findings],
  }) as unknown as Patch
const ask: Finding = { rule: 'contradiction', severity: 'ask', message: '' }

test.each<[string, readonly Patch[], string]>([
  ['what is added', [patch(2, 0), patch(1, 0)], '3 facts count then. No rule objects to any of them.'],
  [
    'what ends, and what a rule says',
    [patch(1, 1, [ask]), patch(0, 0)],
    '1 fact counts then, and 1 that counted before no longer does. Rules object to 1 of the patches: better look at that one first.',
  ],
])('[K3] approving all says %s', (_, patches, expected) => expect(allInWords(patches)).toBe(expected))
