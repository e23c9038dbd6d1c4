import { describe, expect, test } from 'vitest'
import type { Citation, SessionId } from '@parley/contracts'
import {
  type CallEvent,
  type CallState,
  NO_CALL,
  countAnswers,
  applyCallEvent,
  listHeardLines,
  isCallActive,
} from './call-state.ts'

const sessionId = 'ses_1' as SessionId
const citation: Citation = {
  number: 1,
  query: 'Where?',
  at: '2026-01-01T00:00:00.000Z',
  evidence: [],
  gone: 0,
}
const UNTIL_LIVE: readonly CallEvent[] = [
  { type: 'microphone-requested' },
  { type: 'start-requested' },
  { type: 'started', sessionId },
  { type: 'connected', at: 1_000 },
]
const applyEvents = (...events: readonly CallEvent[]): CallState => events.reduce(applyCallEvent, NO_CALL)
const applyLiveEvents = (...events: readonly CallEvent[]): CallState => applyEvents(...UNTIL_LIVE, ...events)
const createMessageEvent = (who: 'you' | 'agent', text: string): CallEvent => ({ type: 'message', who, text })

describe('the phases of a call', () => {
  test.each<[string, CallState, CallState['phase']]>([
    [
      'a call first asks for the microphone',
      applyEvents({ type: 'microphone-requested' }),
      { kind: 'asking-microphone' },
    ],
    ['then a session is started', applyEvents({ type: 'start-requested' }), { kind: 'starting' }],
    [
      'an existing session is connected to',
      applyEvents({ type: 'started', sessionId }),
      { kind: 'connecting' },
    ],
    ['a connected call is live', applyLiveEvents(), { kind: 'live' }],
    [
      'a lost connection is restored',
      applyLiveEvents({ type: 'dropped' }),
      { kind: 'dropped', next: 'reconnects' },
    ],
    [
      'after a second loss the person is asked',
      applyLiveEvents(
        { type: 'dropped' },
        { type: 'connect-requested' },
        { type: 'connected', at: 2_000 },
        { type: 'dropped' },
      ),
      { kind: 'dropped', next: 'asks' },
    ],
    [
      'after a requested reconnect, the next loss is restored automatically',
      applyLiveEvents(
        { type: 'dropped' },
        { type: 'dropped' },
        { type: 'reconnect-requested' },
        { type: 'dropped' },
      ),
      { kind: 'dropped', next: 'reconnects' },
    ],
    [
      'an ended call cannot lose its connection',
      applyLiveEvents({ type: 'over', by: 'you', at: 9_000 }, { type: 'dropped' }),
      { kind: 'over', by: 'you' },
    ],
    [
      'a failed call has its problem',
      applyEvents({ type: 'failed', problem: { kind: 'microphone-denied' } }),
      { kind: 'failed', problem: { kind: 'microphone-denied' } },
    ],
  ])('%s', (_, state, phase) => {
    expect(state.phase).toEqual(phase)
  })

  test.each<[CallState, boolean]>([
    [applyEvents({ type: 'microphone-requested' }), true],
    [applyEvents({ type: 'start-requested' }), true],
    [applyEvents({ type: 'started', sessionId }), true],
    [applyLiveEvents(), true],
    [applyLiveEvents({ type: 'dropped' }), true],
    [applyLiveEvents({ type: 'dropped' }, { type: 'dropped' }), false],
    [applyLiveEvents({ type: 'over', by: 'you', at: 9_000 }), false],
    [applyEvents({ type: 'failed', problem: { kind: 'unreachable' } }), false],
  ])('[V9] leaving ends a call, also while it starts: $phase.kind %#', (state, isCutOff) => {
    expect(isCallActive(state.phase)).toBe(isCutOff)
  })

  test('the duration counts from the first connection', () => {
    const state = applyLiveEvents(
      { type: 'dropped' },
      { type: 'connected', at: 5_000 },
      { type: 'over', by: 'you', at: 9_000 },
    )
    expect([state.since, state.until]).toEqual([1_000, 9_000])
  })
})

describe('the transcript', () => {
  test('an interrupted answer ends where it was heard', () => {
    const state = applyLiveEvents(
      createMessageEvent('you', 'Where?'),
      createMessageEvent('agent', 'In Oslo, in a house by the sea.'),
      { type: 'interrupted' },
      { type: 'corrected', original: 'In Oslo, in a house by the sea.', heard: 'In Oslo, ' },
      createMessageEvent('you', 'Wait.'),
    )
    expect(state.lines.map(({ text, isCut }) => [text, isCut])).toEqual([
      ['Where?', undefined],
      ['In Oslo,', true],
      ['Wait.', undefined],
    ])
    expect(state.lines[1]?.whole).toBe('In Oslo, in a house by the sea.')
    expect(state.interruptions).toBe(1)
  })

  test('[V8] an answer interrupted before its first word is neither shown nor counted', () => {
    const { lines } = applyLiveEvents(
      createMessageEvent('agent', 'Hello, I am Ada.'),
      createMessageEvent('you', 'Where?'),
      createMessageEvent('agent', 'In Oslo.'),
      { type: 'corrected', original: 'In Oslo.', heard: '' },
      createMessageEvent('you', 'When?'),
      createMessageEvent('agent', 'In 1998.'),
      createMessageEvent('agent', 'I am still here.'),
    )
    expect(listHeardLines(lines).map(({ text }) => text)).not.toContain('')
    expect(listHeardLines(lines).length).toBe(lines.length - 1)
    expect(countAnswers(lines)).toBe(1)
  })

  test('a correction without an answer id applies to the last answer', () => {
    const state = applyLiveEvents(createMessageEvent('agent', 'One.'), createMessageEvent('agent', 'Two.'), {
      type: 'corrected',
      original: 'Something else.',
      heard: 'Tw',
    })
    expect(state.lines.map(({ text }) => text)).toEqual(['One.', 'Tw'])
  })

  test('citations belong to the answer they were requested for', () => {
    const state = applyLiveEvents(createMessageEvent('agent', 'One.'), createMessageEvent('agent', 'Two.'), {
      type: 'cited',
      line: 1,
      citations: [citation],
    })
    expect(state.lines.map(({ citations }) => citations?.length ?? 0)).toEqual([1, 0])
  })

  test('nobody speaks after the connection is lost', () => {
    expect(applyLiveEvents({ type: 'speaker-changed', speaker: 'agent' }, { type: 'dropped' }).speaker).toBe(
      'nobody',
    )
  })
})
