import { expect, test } from 'vitest'
import type { Role, SessionMode } from '@parley/contracts'
import type { TranscriptMessage } from '../ports/transcript-store.ts'
import { buildTranscriptSource } from './transcript-source.ts'

const at = '2026-03-01T10:00:00.000Z'
const text = (role: TranscriptMessage['role'], words: string): TranscriptMessage => ({
  role,
  content: [{ type: 'text', text: words }],
  timestamp: at,
})
const SAID = [text('assistant', 'Where were you born?'), text('tool', 'hidden'), text('user', 'In Oslo.')]

test.each<[SessionMode, Role, string, string | undefined]>([
  ['interview', 'operator', 'Interview of 2026-03-01', 'Ada'],
  ['reflection', 'owner', 'Conversation of 2026-03-01', 'Ada'],
  ['reflection', 'admin', 'Conversation of 2026-03-01', undefined],
  ['reflection', 'operator', 'Conversation of 2026-03-01', undefined],
  ['share', 'guest', 'Shared conversation of 2026-03-01', undefined],
])('[V5] the source of a %s session with the %s has the speakers’ names', (mode, role, title, speaker) => {
  const source = buildTranscriptSource(SAID, { mode, role, startedAt: at, creatorName: 'Ada' })
  expect(source?.title).toBe(title)
  expect(JSON.parse(source?.text ?? '')).toEqual([
    { role: 'assistant', text: 'Where were you born?', at },
    { role: 'user', text: 'In Oslo.', at, ...(speaker && { speaker }) },
  ])
})

test('[V5] a transcript without words of the person is not a source', () => {
  const source = buildTranscriptSource([text('assistant', 'Hello?')], {
    mode: 'interview',
    role: 'owner',
    startedAt: at,
    creatorName: 'Ada',
  })
  expect(source).toBeUndefined()
})
