import type { PersonId, Fact, FactId, Finding, Patch, PatchId } from '@parley/contracts'
import { expect, test } from 'vitest'
import { describeDecider, listFlaggedRules, describePatch } from './patch-view.tsx'

const members = [{ personId: 'per_2' as PersonId, label: 'Grace' }]

test.each([
  ['rule', 'automatically'],
  ['per_1', 'by you'],
  ['per_2', 'by Grace'],
  ['per_3', 'by a person'],
])('a decision by %s is shown as: %s', (decidedBy, expected) => {
  expect(describeDecider({ decidedBy, me: 'per_1', members })).toBe(expected)
})

const id = (name: string) => `fct_${name}` as FactId

const fact = (name: string, supersedesFactId?: FactId, state: Fact['state'] = 'candidate'): Fact => ({
  id: id(name),
  namespace: 'general',
  subject: 'Ada',
  predicate: 'lives_in',
  object: name,
  statement: `Ada lives in ${name}.`,
  confidence: 0.9,
  state,
  ...(supersedesFactId && { supersedesFactId }),
  patchId: 'pat_1' as PatchId,
  evidence: [],
  createdAt: '2026-01-01T00:00:00.000Z',
})

const patch: Patch = {
  id: 'pat_1' as PatchId,
  origin: 'ingest',
  status: 'proposed',
  findings: [],
  facts: [fact('oslo', id('bergen')), fact('rome')],
  supersedes: [fact('bergen'), fact('paris')],
  createdAt: '2026-01-01T00:00:00.000Z',
}

test('[K3] the size of a patch fits one line', () => {
  expect(describePatch(patch)).toBe('adds 2 facts, replaces 2')
  expect(describePatch({ ...patch, facts: [fact('rome')], supersedes: [] })).toBe('adds 1 fact')
  const facts = [fact('rome'), fact('oslo', undefined, 'rejected')]
  expect(describePatch({ ...patch, facts, supersedes: [] })).toBe('adds 1 fact, skips 1')
  const repeated = { ...fact('oslo', undefined, 'active'), repeatsFactId: id('other') }
  const both = [fact('rome'), repeated]
  expect(describePatch({ ...patch, facts: both, supersedes: [] })).toBe('adds 1 fact, confirms 1')
})

const createFinding = (rule: Finding['rule'], severity: Finding['severity']): Finding => ({
  rule,
  severity,
  message: '',
})

test('[K3] flagged checks are listed once, the most serious first, without notes', () => {
  const findings = [
    createFinding('contradiction', 'ask'),
    createFinding('duplicate', 'note'),
    createFinding('injection', 'reject'),
    createFinding('contradiction', 'ask'),
  ]
  expect(listFlaggedRules({ findings })).toEqual(['injection', 'contradiction'])
})
