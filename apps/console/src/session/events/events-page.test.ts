import type { SessionEvent } from '@parley/contracts'
import { expect, test } from 'vitest'
import { summarizeEvent } from './events-page.tsx'

const summarize = (event: object) => summarizeEvent(event as SessionEvent)

test.each<[object, string]>([
  [{ type: 'agent:token', token: 'In\n  Kyōto.' }, 'In Kyōto.'],
  [{ type: 'agent:token', token: 'word '.repeat(99) }, `${'word '.repeat(99).slice(0, 159)}…`],
  [{ type: 'agent:token', token: 'safe\u202Egpj' }, 'safe\\u{202e}gpj'],
  [{ type: 'agent:tool_call', call: { name: 'read_file', input: { path: 'a.md' } } }, 'read_file a.md'],
  [
    { type: 'agent:tool_decided', tool: 'read_file', verdict: 'refused', by: 'policy', reason: 'outside' },
    'read_file refused by policy: outside',
  ],
  [
    { type: 'agent:tool_result', outcome: { kind: 'failed', code: 'tool_failed', text: 'no' } },
    'tool_failed: no',
  ],
  [
    {
      type: 'agent:tool_result',
      outcome: { kind: 'ok', text: '[data 0af1 from the sources]\nTea.\n[end of data 0af1]' },
    },
    'Tea.',
  ],
  [
    { type: 'session:turn_completed', stopReason: 'completed', usage: { inputTokens: 3, outputTokens: 4 } },
    'completed, 3 + 4 tokens',
  ],
  [
    { type: 'session:turn_completed', stopReason: 'cancelled', usage: { inputTokens: 0, outputTokens: 0 } },
    'cancelled',
  ],
  [{ type: 'cost:updated', totalMicrocents: 50_000_000, model: 'large' }, '$0.5000 so far, with large'],
  [{ type: 'agent:approval_answered', decision: 'refuse', unattended: true }, 'refuse: nobody was present'],
  [
    { type: 'agent:retry_scheduled', waitMs: 2_100, error: { message: 'local returned an error (500).' } },
    'in 2 s: local returned an error (500).',
  ],
  [{ type: 'session:cancelled' }, ''],
])('[S5] %j', (event, expected) => {
  expect(summarize(event)).toBe(expected)
})
