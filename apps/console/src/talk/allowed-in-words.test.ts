import type { SessionReflection } from '@parley/contracts'
import { expect, test } from 'vitest'
import { allowedInWords, keepingInWords } from './allowed-in-words.ts'

const visit: SessionReflection = {
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
const textOf = (reflection: SessionReflection, label: string, model = 'offline') =>
  allowedInWords(reflection, { provider: model, model, status: 'active' }).find(
    (line) => line.label === label,
  )?.text

test.each([
  ['For', 'The public: only what is published may be told'],
  ['It may', 'look things up'],
  ['Looks in', 'essays, talks'],
  ['Record', 'Kept as a session, and not learned from'],
  ['Model', 'The built-in offline model, which finds and quotes'],
])('%s: %s', (label, text) => {
  expect(textOf(visit, label)).toBe(text)
})

test('[K3] what it hands in or proposes counts once it is approved, and nobody is asked before', () => {
  const actions = ['request-source-ingest', 'propose-fact-correction'] as const
  expect(textOf({ ...visit, actions: [...actions] }, 'It may')).toBe(
    'hand in what you tell it, which counts once it is approved; propose corrections, which count once they are approved',
  )
})

test('what differs is told as it is', () => {
  expect(textOf({ ...visit, namespaces: [] }, 'Looks in')).toBe('Nothing: none is there')
  expect(textOf({ ...visit, ingestion: 'off-record' }, 'Record')).toMatch(/nothing of it is kept/)
  expect(textOf(visit, 'Model', 'sonnet')).toBe('sonnet')
})

test('[V5] what is over is not said to end yet', () => {
  expect(keepingInWords('ingest', 'active')).toBe('Kept, and learned from once it ends')
  expect(keepingInWords('ingest', 'ended')).toBe('Kept, and learned from')
})
