import { expect, test } from 'vitest'
import type { Fact, FactId, Finding, Patch, PatchId, SourceId } from '@parley/contracts'
import { createStyle } from '../render/display.ts'
import { renderListedFact, renderPatch } from './fact-lines.ts'

const display = { style: createStyle(false), columns: 80, isTerminal: false }
const id = (name: string) => `fct_${name}` as FactId

const fact = (name: string, more: Partial<Fact> = {}): Fact => ({
  id: id(name),
  namespace: 'general',
  subject: 'Ada',
  predicate: 'lives_in',
  object: name,
  statement: `Ada lives in ${name}.`,
  confidence: 0.9,
  state: 'candidate',
  patchId: 'pat_0' as PatchId,
  evidence: [],
  createdAt: '2026-01-01T00:00:00.000Z',
  ...more,
})

const patch: Patch = {
  id: 'pat_abcdefgh' as PatchId,
  origin: 'ingest',
  status: 'proposed',
  findings: [],
  facts: [fact('oslo', { supersedesFactId: id('bergen') }), fact('rome', { state: 'rejected' })],
  supersedes: [fact('bergen', { state: 'active' }), fact('paris', { state: 'active' })],
  createdAt: '2026-01-01T00:00:00.000Z',
}

const titleOf = () => 'A letter'
const renderLines = (changed: Partial<Patch>, most?: number) =>
  renderPatch({ ...patch, ...changed }, display, { titleOf, ...(most !== undefined && { most }) }).slice(1)

test('[K3] a patch shows the facts it ends and their replacements', () => {
  expect(renderPatch(patch, display, { titleOf })[0]).toMatch(
    /proposed .* {2}a correction {2}2 facts, replacing 2$/,
  )
  expect(renderLines({})).toEqual([
    '  - Ada lives in paris.',
    '  - Ada lives in bergen.',
    '  + Ada lives in oslo. (general, 90 %)',
    '  x Ada lives in rome. (general, 90 %)',
  ])
})

test('[K3] a rejected patch shows what it would have added', () => {
  expect(renderLines({ status: 'rejected', supersedes: [] })).toEqual([
    '  + Ada lives in oslo. (general, 90 %)',
    '  + Ada lives in rome. (general, 90 %)',
  ])
})

test.each<[string, Finding, string]>([
  [
    'about the whole patch',
    { rule: 'extraction', severity: 'note', message: 'Rules\nfound them.' },
    '    extraction: Rules found them.',
  ],
  [
    'about a fact',
    { factId: id('rome'), rule: 'correction', severity: 'note', message: 'A person has corrected it since.' },
    '      correction: A person has corrected it since.',
  ],
  [
    'that needs a person',
    { factId: id('rome'), rule: 'third_party', severity: 'ask', message: 'It tells of Mara.' },
    '    ! about another person: It tells of Mara.',
  ],
])('[K3] the finding of a rule %s is shown', (_, finding, line) => {
  expect(renderLines({ findings: [finding] })).toContain(line)
})

test('[K3] the fact that a correction replaces is shown once', () => {
  const finding: Finding = {
    factId: id('oslo'),
    rule: 'correction',
    severity: 'note',
    message: 'It takes the place of: Ada lives in bergen.',
  }
  expect(renderLines({ findings: [finding] })).toEqual(renderLines({}))
})

test('[K3] a patch names its source, and shows only as many changes as requested', () => {
  const ofLetter: Patch = { ...patch, sourceId: 'src_1' as SourceId }
  expect(renderPatch(ofLetter, display, { titleOf })[0]).toContain('  A letter  2 facts')
  expect(renderLines({}, 1)).toEqual(['  - Ada lives in paris.', '  and 2 more'])
  expect(renderLines({}, 3)).toEqual(renderLines({}))
})

test('[K3] a fact that another source also states is not left out', () => {
  const repeated = fact('oslo', { state: 'rejected', repeatsFactId: id('other') })
  expect(renderLines({ status: 'applied', facts: [repeated], supersedes: [] })).toEqual([
    '  = Ada lives in oslo. (general, 90 %)',
  ])
})

const supersededAt = '2026-01-02T00:00:00.000Z'
const repeatsFactId = id('other')
test.each<[string, Partial<Fact>]>([
  ['+', { state: 'active' }],
  ['~', { state: 'active', supersededAt }],
  ['?', { state: 'candidate' }],
  ['-', { state: 'rejected', supersededAt }],
  ['=', { state: 'rejected', repeatsFactId }],
  ['~', { state: 'rejected', repeatsFactId, supersededAt }],
])('[K2] the mark %s stands for %j', (mark, standing) => {
  const evidence = [{ sourceId: 'src_1' as SourceId, quote: 'I live in Oslo.', place: {} }]
  expect(renderListedFact(fact('oslo', { ...standing, evidence }), display, titleOf)).toEqual([
    `${mark} oslo Ada lives in oslo. (general, 90 %)`,
    '    “I live in Oslo.” (A letter)',
  ])
})
