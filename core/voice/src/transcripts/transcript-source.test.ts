import { expect, test } from 'vitest'
import type { SessionMode } from '@parley/contracts'
import type { TranscriptMessage } from '../ports/transcript-store.ts'
import { transcriptSource } from './transcript-source.ts'

const at = '2026-03-01T10:00:00.000Z'
const text = (role: TranscriptMessage['role'], words: string): TranscriptMessage => ({
  role,
  content: [{ type: 'text', text: words }],
  timestamp: at,
})
const SAID = [text('assistant', 'Where were you born?'), text('tool', 'hidden'), text('user', 'In Oslo.')]

test.each<[SessionMode, string, string | undefined]>([
  ['interview', 'Interview of 2026-03-01', 'Ada'],
  ['reflection', 'Conversation of 2026-03-01', undefined],
  ['share', 'Shared conversation of 2026-03-01', undefined],
])('[V5] what was said in a %s, and whose words they are', (mode, title, speaker) => {
  const source = transcriptSource(SAID, { mode, startedAt: at, of: 'Ada' })
  expect(source?.title).toBe(title)
  expect(JSON.parse(source?.text ?? '')).toEqual([
    { role: 'assistant', text: 'Where were you born?', at },
    { role: 'user', text: 'In Oslo.', at, ...(speaker && { speaker }) },
  ])
})

test('[V5] where the person said nothing, nothing is learned', () => {
  const source = transcriptSource([text('assistant', 'Hello?')], {
    mode: 'interview',
    startedAt: at,
    of: 'Ada',
  })
  expect(source).toBeUndefined()
})
