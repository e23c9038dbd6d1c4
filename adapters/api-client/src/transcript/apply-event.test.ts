import type { SessionEvent, StepId, TurnId } from '@parley/contracts'
import { expect, test } from 'vitest'
import { applyEvent } from './apply-event.ts'
import { call, completed, outcome, question, reasoning, stamped, token, turnId } from './events.fixture.ts'
import { openTranscript, type Transcript } from './transcript.ts'
import { turnsOf } from './turns-of.ts'

const empty = openTranscript({ lastSequence: 0 }, [])
const ofCall = { turnId, callId: call.id }
const error = { code: 'provider_auth', message: 'The key was refused.', retryable: false } as const
const asked = stamped(1, question(1))
const afterAll = (events: readonly SessionEvent[], from: Transcript = empty) =>
  events.reduce(applyEvent, from)

test.each<[string, readonly SessionEvent[], object]>([
  ['a question runs', [asked], { state: 'running', parts: [] }],
  [
    'tokens add up',
    [asked, stamped(2, token('Be')), stamped(3, token('cause'))],
    { parts: [{ text: 'Because' }] },
  ],
  [
    'a joined event takes the place of what its step said',
    [asked, stamped(2, token('Be')), stamped(3, token('cau')), stamped(4, token('Because'), 2)],
    { parts: [{ kind: 'text', text: 'Because' }] },
  ],
  [
    'a joined event takes the place of a part of what its step said',
    [asked, stamped(2, token('Be')), stamped(3, token('cau')), stamped(4, token('fore'), 3)],
    { parts: [{ text: 'Before' }] },
  ],
  [
    'another step keeps what it said',
    [asked, stamped(2, token('First. ')), stamped(3, token('Then.', 'stp_2'), 2)],
    { parts: [{ text: 'First. ' }, { text: 'Then.' }] },
  ],
  [
    'reasoning stands apart',
    [asked, stamped(2, reasoning('Hm')), stamped(3, reasoning('m.')), stamped(4, token('Yes.'))],
    {
      parts: [
        { kind: 'reasoning', text: 'Hmm.' },
        { kind: 'text', text: 'Yes.' },
      ],
    },
  ],
  [
    'a step that is given up leaves nothing',
    [
      asked,
      stamped(2, token('No')),
      stamped(3, { type: 'agent:step_discarded', turnId, stepId: 'stp_1' as StepId }),
    ],
    { parts: [] },
  ],
  [
    'a tool that was called runs, and then has its result',
    [
      asked,
      stamped(2, { type: 'agent:tool_call', ...ofCall, call }),
      stamped(3, { type: 'agent:tool_result', ...ofCall, outcome }),
    ],
    { parts: [{ kind: 'tool', call, outcome }] },
  ],
  ['a turn ends', [asked, stamped(2, completed())], { state: 'completed' }],
  [
    'a turn ends badly',
    [asked, stamped(2, completed({ stopReason: 'error', error }))],
    { state: 'error', error },
  ],
  [
    'an event that comes again changes nothing',
    [asked, stamped(2, token('Once')), stamped(2, token('Once')), asked],
    { parts: [{ text: 'Once' }] },
  ],
])('%s', (_, events, expected) => {
  expect(turnsOf(afterAll(events))).toMatchObject([expected])
})

test('what died with its process is taken back by the next turn', () => {
  const events = [asked, stamped(2, token('Kept. ')), stamped(3, token('Lost', 'stp_2'))]
  const next = stamped(1_027, question(2, 'trn_2' as TurnId), 3)
  expect(turnsOf(afterAll([...events, next]))).toMatchObject([
    { parts: [{ text: 'Kept. ' }], state: 'unanswered' },
    { parts: [], state: 'running' },
  ])
})

test('only the turns up to the opening are the past', () => {
  const replayed = afterAll([asked], openTranscript({ lastSequence: 5 }, []))
  expect(replayed.runningTurnId).toBeUndefined()
  expect(afterAll([stamped(6, question(2))], replayed).runningTurnId).toBe(turnId)
})
