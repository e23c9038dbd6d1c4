import { expect, test } from 'vitest'
import type { FactId, PatchId } from './ids.ts'
import type { Fact, Finding, Patch, PatchStatus } from './knowledge.ts'
import { type FactChange, type FactStatus, getFactStatus, listPatchChanges } from './patch-changes.ts'

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

const createStoredFinding = (factId?: FactId): Finding => ({
  rule: 'contradiction',
  severity: 'ask',
  message: 'There is another.',
  ...(factId && { factId }),
})

const patch: Patch = {
  id: 'pat_1' as PatchId,
  origin: 'ingest',
  status: 'proposed',
  findings: [createStoredFinding(id('oslo')), createStoredFinding(), createStoredFinding(id('gone'))],
  facts: [fact('oslo', id('bergen')), fact('rome')],
  supersedes: [fact('bergen'), fact('paris')],
  createdAt: '2026-01-01T00:00:00.000Z',
}

test('[K3] a patch lists added, replaced and ended facts, and each finding once', () => {
  const { changes, ended, findings } = listPatchChanges(patch)
  expect(
    changes.map(({ fact: { id: added }, replaces, findings: found }) => [added, replaces, found]),
  ).toEqual([
    [id('oslo'), fact('bergen'), [createStoredFinding(id('oslo'))]],
    [id('rome'), undefined, []],
  ])
  expect(ended).toEqual([fact('paris')])
  expect(findings).toEqual([createStoredFinding(), createStoredFinding(id('gone'))])
})

const correction = (name: string): Finding => ({
  ...createStoredFinding(id(name)),
  rule: 'correction',
  severity: 'note',
})

test('[K3] a correction finding is hidden if the replaced fact is shown, and kept otherwise', () => {
  const findings = [correction('oslo'), correction('rome')]
  expect(listPatchChanges({ ...patch, findings }).changes.map((change) => change.findings)).toEqual([
    [],
    [correction('rome')],
  ])
})

test.each<[PatchStatus, FactChange['kind']]>([
  ['proposed', 'left-out'],
  ['applied', 'left-out'],
  ['rejected', 'added'],
  ['reverted', 'added'],
])('[K3] in a patch that is %s, a rejected fact is shown as %s', (status, kind) => {
  const facts = [fact('rome', undefined, 'rejected')]
  expect(listPatchChanges({ ...patch, status, facts }).changes[0]?.kind).toBe(kind)
})

const supersededAt = '2026-01-01T00:00:00.000Z'
const repeatsFactId = 'fct_1' as FactId

test.each<[Pick<Fact, 'state' | 'supersededAt' | 'repeatsFactId'>, FactStatus]>([
  [{ state: 'active' }, 'active'],
  [{ state: 'active', supersededAt }, 'superseded'],
  [{ state: 'candidate' }, 'candidate'],
  [{ state: 'rejected', supersededAt }, 'rejected'],
  [{ state: 'active', repeatsFactId }, 'repeated'],
  [{ state: 'rejected', repeatsFactId }, 'repeated'],
  [{ state: 'active', repeatsFactId, supersededAt }, 'superseded'],
])('[K2] the fact %j shows as %s', (of, status) => {
  expect(getFactStatus(of)).toBe(status)
})
