import { describe, expect, test } from 'vitest'
import {
  type Citation,
  PlatformError,
  type SessionId,
  type SessionView,
  type VoiceSessionResponse,
} from '@parley/contracts'
import type { CallLine } from './call-state.ts'
import { type CallHost, createCall, findFinalCut } from './create-call.ts'
import type { VoiceLine, VoiceLineEvents } from './open-line.ts'

const LONG = 'In Oslo, in a house by the sea.'
const createLine = (who: CallLine['who'], text: string): CallLine => ({ id: 1, who, text })
const createMessage = (role: 'user' | 'assistant', text: string) => ({
  role,
  content: text === '' ? [] : [{ type: 'text' as const, text }],
})
const SPOKEN_LINES = [
  createLine('agent', 'Good day.'),
  createLine('you', 'Where?'),
  createLine('agent', LONG),
]
const STORED_QUESTION = [createMessage('assistant', 'Good day.'), createMessage('user', 'Where?')]

test.each<[string, readonly CallLine[], readonly ReturnType<typeof createMessage>[], string | undefined]>([
  [
    'a fully heard answer stays',
    SPOKEN_LINES,
    [...STORED_QUESTION, createMessage('assistant', LONG)],
    undefined,
  ],
  [
    'an answer cut by hanging up ends where it was heard',
    SPOKEN_LINES,
    [...STORED_QUESTION, createMessage('assistant', 'In Oslo,')],
    'In Oslo,',
  ],
  ['an unheard answer is empty', SPOKEN_LINES, STORED_QUESTION, ''],
  [
    'an answer stored without text is empty',
    SPOKEN_LINES,
    [...STORED_QUESTION, createMessage('assistant', '')],
    '',
  ],
  [
    'a greeting is cut as well',
    [createLine('agent', 'Good day.')],
    [createMessage('assistant', 'Good')],
    'Good',
  ],
  ['a transcript of an earlier call cuts nothing', SPOKEN_LINES, [createMessage('user', 'When?')], undefined],
  [
    'an already interrupted answer stays cut',
    [createLine('you', 'Where?'), { ...createLine('agent', 'In Oslo'), isCut: true }],
    [createMessage('user', 'Where?'), createMessage('assistant', 'In')],
    undefined,
  ],
  [
    'nothing is cut after the person spoke last',
    [createLine('you', 'Where?')],
    [createMessage('user', 'Where?')],
    undefined,
  ],
])('[V16] %s', (_, lines, transcript, heard) => {
  expect(findFinalCut(lines, transcript)?.heard).toBe(heard)
})

const sessionId = 'ses_1' as SessionId
const session = { sessionId, createdAt: '2026-01-01T00:00:00.000Z' }
const started = { sessionId, signedUrl: 'ws://here', dynamicVariables: {} } as VoiceSessionResponse
const citation: Citation = {
  number: 1,
  query: 'Where?',
  at: '2026-01-01T00:00:00.000Z',
  evidence: [],
  gone: 0,
}

interface FakeSessions {
  readonly sessions?: Partial<CallHost['sessions']>
}

/** A call whose lines the test controls. */
function createFakeCall({ sessions, ...rest }: Partial<Omit<CallHost, 'sessions'>> & FakeSessions = {}) {
  const lines: { readonly events: VoiceLineEvents; readonly said: string[]; isMuted: boolean }[] = []
  const opened: SessionId[] = []
  const ended: SessionId[] = []
  const host: CallHost = {
    sessions: {
      citations: () => Promise.resolve({ items: [citation] }),
      reconnect: () => Promise.resolve(started),
      end: (id) => {
        ended.push(id)
        return Promise.resolve({} as SessionView)
      },
      ...sessions,
    },
    start: () => Promise.resolve(started),
    onSession: (id) => opened.push(id),
    askMicrophone: () => Promise.resolve(undefined),
    openLine: (_, events) => {
      const line = { events, said: [] as string[], isMuted: false }
      lines.push(line)
      const opens: VoiceLine = {
        say: (text) => void line.said.push(text),
        mute: (isMuted) => void (line.isMuted = isMuted),
        close: async () => events.onClosed('user'),
        inputLevel: () => 0,
        outputLevel: () => 0,
      }
      return Promise.resolve(opens)
    },
    now: () => 7,
    ...rest,
  }
  const call = createCall(host)
  const kind = () => call.state().phase.kind
  return { call, lines, opened, ended, kind }
}

test('[V8] a call starts, shows speech with citations, and ends', async () => {
  const { call, lines, opened, kind } = createFakeCall()
  call.begin()
  await expect.poll(kind).toBe('live')
  expect(opened).toEqual([sessionId])
  lines[0]?.events.onMessage('you', 'Where?')
  lines[0]?.events.onMessage('agent', 'Here.')
  await expect.poll(() => call.state().lines[1]?.citations).toEqual([citation])
  call.say('And when?')
  expect(lines[0]?.said).toEqual(['And when?'])
  call.hangUp()
  expect(call.state().phase).toEqual({ kind: 'over', by: 'you' })
})

test('without a microphone nothing is started', async () => {
  const { call, opened, kind } = createFakeCall({
    askMicrophone: async () => ({ kind: 'microphone-denied' }),
  })
  call.begin()
  await expect.poll(kind).toBe('failed')
  expect(opened).toEqual([])
})

test('a lost connection is restored once, still muted; then the person is asked', async () => {
  const { call, lines, kind } = createFakeCall()
  call.begin()
  await expect.poll(kind).toBe('live')
  call.mute(true)
  lines[0]?.events.onClosed('error')
  await expect.poll(() => lines.length).toBe(2)
  await expect.poll(kind).toBe('live')
  expect(lines[1]?.isMuted).toBe(true)
  lines[0]?.events.onMessage('agent', 'Too late.')
  expect(call.state().lines).toEqual([])
  lines[1]?.events.onClosed('error')
  expect(call.state().phase).toEqual({ kind: 'dropped', next: 'asks' })
  call.begin()
  await expect.poll(kind).toBe('live')
})

test('a refused reconnect shows the reason', async () => {
  const refused = new PlatformError('rate_limited', { message: 'Five times.', retryAfterSeconds: 60 })
  const { call, lines, kind } = createFakeCall({
    sessions: { reconnect: () => Promise.reject(refused) },
  })
  call.begin()
  await expect.poll(kind).toBe('live')
  lines[0]?.events.onClosed('error')
  await expect.poll(kind).toBe('failed')
})

test('an existing session is not started again', async () => {
  const { call, opened, kind } = createFakeCall({ session, start: () => Promise.reject(new Error('never')) })
  expect(call.state().phase).toEqual({ kind: 'dropped', next: 'asks' })
  call.begin()
  await expect.poll(kind).toBe('live')
  expect(opened).toEqual([])
  expect(call.state().since).toBe(Date.parse(session.createdAt))
})

test.each([
  ['a start', {}],
  ['a connection', { session }],
])('[V9] %s that failed is retried in the background, without the microphone', async (_, given) => {
  let isAway = true
  const answer = () =>
    isAway ? Promise.reject(new PlatformError('server_unreachable')) : Promise.resolve(started)
  let asked = 0
  const { call, kind } = createFakeCall({
    ...given,
    start: answer,
    sessions: { reconnect: answer },
    askMicrophone: async () => void (asked += 1),
  })
  call.begin()
  await expect.poll(kind).toBe('failed')
  const phases: string[] = []
  call.subscribe(() => phases.push(kind()))
  await call.retry()
  expect(phases).toEqual(['failed'])
  isAway = false
  await call.retry()
  expect([kind(), asked]).toEqual(['live', 1])
  expect(phases).not.toContain('starting')
})

test('[K5] after joining a running call, the first answer does not cite earlier searches', async () => {
  const { call, lines, kind } = createFakeCall({
    session,
    sessions: {
      citations: ({ after = 0 }) => Promise.resolve({ items: after === 0 ? [citation] : [] }),
    },
  })
  call.begin()
  await expect.poll(kind).toBe('live')
  lines[0]?.events.onMessage('agent', 'Good day.')
  await settle()
  expect(call.state().lines.map(({ citations }) => citations)).toEqual([undefined])
})

test('a start that timed out is retried once; other failures are shown', async () => {
  let starts = 0
  const slow = createFakeCall({
    start: () => {
      starts += 1
      return starts === 1 ? Promise.reject(new PlatformError('run_timeout')) : Promise.resolve(started)
    },
  })
  slow.call.begin()
  await expect.poll(slow.kind).toBe('live')
  expect(starts).toBe(2)
  const refused = createFakeCall({ start: () => Promise.reject(new PlatformError('voice_clone_required')) })
  refused.call.begin()
  await expect.poll(refused.kind).toBe('failed')
})

describe.each(['hangUp', 'leave'] as const)('a call that is given up by %s while', (giveUp) => {
  test('[V9] waiting for the microphone is not started', async () => {
    const microphone = Promise.withResolvers<undefined>()
    let starts = 0
    const { call, lines } = createFakeCall({
      askMicrophone: () => microphone.promise,
      start: () => Promise.resolve(started).finally(() => (starts += 1)),
    })
    call.begin()
    call[giveUp]()
    microphone.resolve(undefined)
    await settle()
    expect([starts, lines.length]).toEqual([0, 0])
  })

  test('[V9] starting opens no line, and its session is ended', async () => {
    const start = Promise.withResolvers<VoiceSessionResponse>()
    const { call, lines, opened, ended, kind } = createFakeCall({ start: () => start.promise })
    call.begin()
    await expect.poll(kind).toBe('starting')
    call[giveUp]()
    start.resolve(started)
    await expect.poll(() => ended).toEqual([sessionId])
    expect([lines.length, opened.length]).toEqual([0, 0])
  })

  test('[V9] failing to start shows nothing, and starts no other', async () => {
    const start = Promise.withResolvers<VoiceSessionResponse>()
    let starts = 0
    const { call, kind } = createFakeCall({
      start: () => {
        starts += 1
        return start.promise
      },
    })
    call.begin()
    await expect.poll(kind).toBe('starting')
    call[giveUp]()
    start.reject(new PlatformError('run_timeout'))
    await settle()
    expect([starts, kind() === 'failed']).toEqual([1, false])
  })

  test('[V9] reconnecting opens no line', async () => {
    const reconnect = Promise.withResolvers<VoiceSessionResponse>()
    const { call, lines, kind } = createFakeCall({
      session,
      sessions: { reconnect: () => reconnect.promise },
    })
    call.begin()
    await expect.poll(kind).toBe('connecting')
    call[giveUp]()
    reconnect.resolve(started)
    await settle()
    expect(lines).toEqual([])
  })
})

/** Resolves after all pending promises. */
const settle = () => new Promise((resolve) => setImmediate(resolve))
