import type { SessionReflection } from '@parley/contracts'
import { expect, test } from 'vitest'
import { describePermissions, describeRecord } from './permissions.tsx'

const VISIT: SessionReflection = {
  displayName: 'Ada',
  mode: 'share',
  audience: 'public',
  surface: 'public',
  actions: ['retrieve-context'],
  namespaces: ['essays', 'talks'],
  ingestion: 'keep-only',
  status: 'active',
  transcript: 'none',
}
const findText = (reflection: SessionReflection, label: string, model = 'offline') =>
  describePermissions(reflection, { provider: model, model, status: 'active' }).find(
    (line) => line.label === label,
  )?.text

test.each([
  ['For', 'Public: only published facts are used'],
  ['It can', 'search its sources'],
  ['Folders', 'essays, talks'],
  ['Record', 'Saved, not used for learning'],
  ['Model', 'Built-in offline model (quotes only)'],
])('%s: %s', (label, text) => {
  expect(findText(VISIT, label)).toBe(text)
})

test('[K3] suggested facts and corrections count once approved', () => {
  const actions = ['request-source-ingest', 'propose-fact-correction'] as const
  expect(findText({ ...VISIT, actions: [...actions] }, 'It can')).toBe(
    'suggest new facts (used once approved); suggest corrections (used once approved)',
  )
})

test('permissions show empty folders, off the record and the model', () => {
  expect(findText({ ...VISIT, namespaces: [] }, 'Folders')).toBe('None')
  expect(findText({ ...VISIT, ingestion: 'off-record' }, 'Record')).toMatch(/nothing is saved/)
  expect(findText(VISIT, 'Model', 'sonnet')).toBe('sonnet')
})

test('[V5] an ended session is not described as running', () => {
  expect(describeRecord('ingest', 'active')).toBe('Saved, and used for learning after it ends')
  expect(describeRecord('ingest', 'ended')).toBe('Saved, and used for learning')
})
