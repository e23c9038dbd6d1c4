import type { SessionEvent, TurnId } from '@parley/contracts'
import { describe, expect, test } from 'vitest'
import { applyEvent } from './apply-event.ts'
import {
  answered,
  call,
  completed,
  continued,
  discarded,
  message,
  outcome,
  question,
  reasoning,
  requested,
  stamped,
  token,
  turnId,
} from './events.fixture.ts'
import { openTranscript, type Transcript } from './transcript.ts'
import { listTurns } from './list-turns.ts'

const empty = openTranscript({ lastSequence: 0 }, [])
const ofCall = { turnId, callId: call.id }
const error = { code: 'provider_auth', message: 'The key was refused.', retryable: false } as const
const asked = stamped(1, question(1))
const afterAll = (events: readonly SessionEvent[], from: Transcript = empty) =>
  events.reduce(applyEvent, from)

test.each<[string, readonly SessionEvent[], object]>([
  ['a question starts a running turn', [asked], { state: 'running', parts: [] }],
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
    'another step keeps its text',
    [asked, stamped(2, token('First. ')), stamped(3, token('Then.', 'stp_2'), 2)],
    { parts: [{ text: 'First. ' }, { text: 'Then.' }] },
  ],
  [
    'reasoning is a separate part',
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
    [asked, stamped(2, token('No')), stamped(3, discarded('stp_1'))],
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
  expect(listTurns(afterAll(events))).toMatchObject([expected])
})

test('[V16] the greeting of a call is not a question', () => {
  const greeting = message(1, { role: 'assistant', content: [{ type: 'text', text: 'Hello.' }] })
  const events = [
    stamped(1, { type: 'session:turn_started', turnId, message: greeting }),
    stamped(2, token('Hello.')),
    stamped(3, completed()),
  ]
  expect(listTurns(afterAll(events))).toEqual(listTurns(openTranscript({ lastSequence: 3 }, [greeting])))
})

test('an unknown event type only advances the position', () => {
  const known = afterAll([asked, stamped(2, token('Yes'))])
  const later = applyEvent(known, {
    ...stamped(3, token('la')),
    type: 'agent:sang',
  } as unknown as SessionEvent)
  expect(later).toEqual({ ...known, seen: 3 })
})

test('only turns before the opening are past', () => {
  const replayed = afterAll([asked], openTranscript({ lastSequence: 5 }, []))
  expect(replayed.openTurn).toBeUndefined()
  const opened = afterAll([stamped(6, question(2))], replayed)
  expect(opened.openTurn).toEqual({ turnId, state: 'running' })
})

describe('[X4] a process dies', () => {
  const next = 'trn_2' as TurnId
  const said = [asked, stamped(2, token('Kept. ')), stamped(3, token('Lost', 'stp_2'))]
  const interrupted = { code: 'internal', message: 'The process ended.', retryable: true } as const
  const broken = completed({ stopReason: 'error', error: interrupted })

  test.each<[string, readonly SessionEvent[]]>([
    ['its step is discarded', [stamped(1_027, discarded('stp_2'), 3), stamped(1_028, broken)]],
    ['only its end arrives', [stamped(1_027, broken, 3)]],
  ])('its last text is dropped: %s', (_, ending) => {
    expect(listTurns(afterAll([...said, ...ending]))).toMatchObject([
      { parts: [{ text: 'Kept. ' }], state: 'error', error: interrupted },
    ])
  })

  test('[S4] continuing keeps the question and stored steps as one turn', () => {
    const called = [
      stamped(2, token('Let me see. ')),
      stamped(3, { type: 'agent:tool_call', ...ofCall, call }),
      stamped(4, { type: 'agent:tool_result', ...ofCall, outcome }),
      stamped(5, token('So', 'stp_2')),
    ]
    const goneOn = [
      stamped(1_027, discarded('stp_2'), 5),
      stamped(1_028, broken),
      stamped(1_029, continued(1, next)),
      stamped(1_030, token('It is 42.', 'stp_3', next)),
    ]
    const parts = [{ text: 'Let me see. ' }, { call, outcome }, { text: 'It is 42.' }]
    const running = afterAll([asked, ...called, ...goneOn])
    expect(listTurns(running)).toMatchObject([{ key: 1, parts, state: 'running' }])
    expect(running.openTurn?.turnId).toBe(next)
    const [turn, ...others] = listTurns(afterAll([stamped(1_031, completed({}, next))], running))
    expect(turn).toMatchObject({ parts, state: 'completed' })
    expect(turn).not.toHaveProperty('error')
    expect(others).toEqual([])
  })

  test('a call without an outcome is repeated or answered in place', () => {
    const calling = [asked, stamped(2, { type: 'agent:tool_call', ...ofCall, call })]
    const goneOn = [stamped(1_027, broken, 3), stamped(1_028, continued(1, next))]
    const again = stamped(1_029, { type: 'agent:tool_call', ...ofCall, turnId: next, call })
    const result = stamped(1_030, { type: 'agent:tool_result', ...ofCall, turnId: next, outcome })
    const expected = [{ parts: [{ kind: 'tool', call, outcome }] }]
    expect(listTurns(afterAll([...calling, ...goneOn, result]))).toMatchObject(expected)
    expect(listTurns(afterAll([...calling, ...goneOn, again, result]))).toMatchObject(expected)
  })
})

test('[S4] a failed step is shown until its turn continues', () => {
  const failed = [
    asked,
    stamped(2, { type: 'agent:tool_call', ...ofCall, call }),
    stamped(3, { type: 'agent:tool_result', ...ofCall, outcome }),
    stamped(4, token('It')),
    stamped(5, completed({ stopReason: 'error', error })),
  ]
  expect(listTurns(afterAll(failed))).toMatchObject([{ parts: [{ call }, { text: 'It' }], state: 'error' }])
  const goneOn = afterAll([...failed, stamped(6, continued(1, 'trn_2' as TurnId))])
  expect(listTurns(goneOn)).toMatchObject([{ parts: [{ call, outcome }], state: 'running' }])
})

describe('[S13] a call waits for a person', () => {
  const waiting = [
    asked,
    stamped(2, { type: 'agent:tool_call', ...ofCall, call }),
    stamped(3, requested('notes/today.md')),
  ]
  const waitsFor = { callId: call.id, tool: call.name, target: 'notes/today.md' }

  test('a waiting turn shows its call until answered', () => {
    const transcript = afterAll(waiting)
    expect(listTurns(transcript)).toMatchObject([{ state: 'waiting', waitsFor, parts: [{ call }] }])
    const [turn] = listTurns(afterAll([stamped(4, answered('allow'))], transcript))
    expect(turn).toMatchObject({ state: 'running' })
    expect(turn).not.toHaveProperty('waitsFor')
  })

  test('a waiting turn shows its call until the turn ends', () => {
    const [turn] = listTurns(afterAll([...waiting, stamped(4, completed({ stopReason: 'cancelled' }))]))
    expect(turn).toMatchObject({ state: 'cancelled', parts: [{ call }] })
    expect(turn).not.toHaveProperty('waitsFor')
  })

  test('a later reader sees the waiting call and no earlier one', () => {
    const opened = openTranscript({ lastSequence: 5, openTurn: { turnId, state: 'waiting' } }, [])
    const half = afterAll(waiting, opened)
    expect(listTurns(half)).toMatchObject([{ state: 'waiting' }])
    expect(listTurns(half)[0]).not.toHaveProperty('waitsFor')
    const whole = afterAll([stamped(4, answered('allow')), stamped(5, requested('notes/b.md'))], half)
    expect(listTurns(whole)).toMatchObject([{ waitsFor: { ...waitsFor, target: 'notes/b.md' } }])
  })
})
