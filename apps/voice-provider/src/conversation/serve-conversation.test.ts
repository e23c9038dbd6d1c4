import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createAnswerScript, createScriptedModel } from '@parley/engine/testing'
import {
  OPENING_FRAME,
  connectRawClient,
  isOfType,
  createScriptedSpeech,
  createSoundFrames,
  startConversations,
} from './conversation-server.fixture.ts'
import { createFrameAllowance, createPings } from './serve-conversation.ts'
import type { ServerEvent } from './server-event.ts'

const TEXT = { conversation: { text_only: true } }

test('[X2] sends the metadata first, greets, answers in parts and as a whole, and stores everything', async () => {
  const server = await startConversations({
    config: {
      ...TEXT,
      agent: { first_message: 'Hello {{name}}.', prompt: { prompt: 'You help {{name}}.' } },
    },
    model: createScriptedModel([createAnswerScript('I am well. Thank you.')]),
  })
  const client = await connectRawClient(server.url, ['convai'])
  expect(client.socket.protocol).toBe('convai')
  client.send({ ...OPENING_FRAME, dynamic_variables: { name: 'Ada' } })
  await client.seen(isOfType('agent_response'))
  expect(client.frames[0]?.type).toBe('conversation_initiation_metadata')
  const from = client.frames.length
  client.send({ type: 'user_message', text: 'How are you?' })
  const answer = await client.seen(isOfType('agent_response'), from)
  expect(answer['agent_response_event']?.['agent_response']).toBe('I am well. Thank you.')
  const parts = client.frames
    .slice(from)
    .filter(isOfType('agent_chat_response_part'))
    .map((frame) => frame['text_response_part'])
  expect(parts.at(0)).toMatchObject({ type: 'start' })
  expect(parts.at(-1)).toMatchObject({ type: 'stop' })
  expect(parts.map((part) => part?.['text']).join('')).toBe('I am well. Thank you.')
  client.socket.close()
  const { record } = await server.allFinished()
  expect(record.status).toBe('done')
  expect(record.transcript.map(({ role, message }) => [role, message])).toEqual([
    ['agent', 'Hello Ada.'],
    ['user', 'How are you?'],
    ['agent', 'I am well. Thank you.'],
  ])
  expect(server.saved.at(0)?.status).toBe('initiated')
  expect(server.errors).toEqual([])
})

test('[X2] reports an unusable custom LLM and continues offline', async () => {
  const prompt = { llm: 'custom-llm', custom_llm: { url: 'nowhere' }, prompt: 'The bakery opens at seven.' }
  const server = await startConversations({ config: { ...TEXT, agent: { prompt } } })
  const client = await connectRawClient(server.url)
  client.send(OPENING_FRAME)
  const { error_event } = await client.seen(isOfType('error'))
  expect(error_event).toMatchObject({ code: 1011, error_type: 'custom_llm_error' })
  expect(server.errors).toMatchObject([{ code: 'config_invalid', detail: { agentId: 'agent_test' } }])
  client.send({ type: 'contextual_update', text: 'The cart holds two pears.' })
  for (const [asked, answer] of [
    ['When does the bakery open?', 'The bakery opens at seven.'],
    ['What is in the cart?', 'The cart holds two pears.'],
  ]) {
    const from = client.frames.length
    client.send({ type: 'user_message', text: asked })
    const { agent_response_event } = await client.seen(isOfType('agent_response'), from)
    expect(agent_response_event?.['agent_response']).toBe(answer)
  }
})

test('[X2] recognises a spoken question, speaks the answer, and records both', async () => {
  const speech = createScriptedSpeech(['what is it'])
  const server = await startConversations({
    model: createScriptedModel([createAnswerScript('It is a boat. It floats.')]),
    speech,
  })
  const client = await connectRawClient(server.url)
  client.send(OPENING_FRAME)
  await client.seen(isOfType('conversation_initiation_metadata'))
  for (const frame of createSoundFrames()) client.send(frame)
  await client.seen(({ user_transcription_event: event }) => event?.['user_transcript'] === 'what is it')
  await client.seen(isOfType('audio'))
  await client.seen(isOfType('agent_response'))
  client.socket.close()
  const { record, audio } = await server.allFinished()
  expect(speech.spoken).toEqual(['It is a boat.', 'It floats.'])
  expect(record).toMatchObject({ has_audio: true, has_user_audio: true, has_response_audio: true })
  expect(audio?.byteLength).toBeGreaterThan(44)
})

test.each([
  ['a thousand frames a second for an hour', 1_000, 3_600, true],
  ['two thousand frames a second for a minute', 2_000, 60, true],
  ['three thousand frames a second for a minute', 3_000, 60, false],
  ['twenty thousand at once', 20_000, 1, true],
  ['thirty thousand at once', 30_000, 1, false],
])('[X2] the frame limit and %s', (_, frames, seconds, expected) => {
  let time = 0
  const isAllowed = createFrameAllowance(() => time)
  let refused = 0
  for (let second = 0; second < seconds; second += 1) {
    for (let frame = 0; frame < frames; frame += 1) if (!isAllowed()) refused += 1
    time += 1_000
  }
  expect(refused === 0).toBe(expected)
})

function started() {
  const sent: ServerEvent[] = []
  let lost = 0
  let eventId = 0
  const pings = createPings({
    now: Date.now,
    nextEventId: () => (eventId += 1),
    send: (event) => sent.push(event),
    probe: () => undefined,
    onLost: () => void (lost += 1),
  })
  pings.start()
  const delays = () => sent.map((event) => (event.type === 'ping' ? event.ping_event.ping_ms : undefined))
  return { pings, delays, lost: () => lost }
}

describe('pings', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('[X2] a ping reports the delay of the previous one', () => {
    const { pings, delays } = started()
    vi.advanceTimersByTime(120)
    pings.answered(1)
    vi.advanceTimersByTime(5_000)
    pings.answered(99)
    vi.advanceTimersByTime(5_000)
    expect(delays()).toEqual([null, 120, 120])
    pings.close()
  })

  test('[X2] a client without any sign of life counts as lost', () => {
    const { pings, lost } = started()
    vi.advanceTimersByTime(25_000)
    pings.recordActivity()
    vi.advanceTimersByTime(25_000)
    expect(lost()).toBe(0)
    vi.advanceTimersByTime(10_000)
    expect(lost()).toBeGreaterThan(0)
    pings.close()
  })
})
