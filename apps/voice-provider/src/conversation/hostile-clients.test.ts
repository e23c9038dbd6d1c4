import { once } from 'node:events'
import { connect as connectTcp } from 'node:net'
import type { ModelPort } from '@parley/engine'
import { createAnswerScript, createScriptedModel } from '@parley/engine/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  connectRawClient,
  OPENING_FRAME,
  isOfType,
  createScriptedSpeech,
  createSoundFrames,
  startConversations,
} from './conversation-server.fixture.ts'

const TEXT = { conversation: { text_only: true } }

test.each<[string, unknown, string]>([
  ['text that is not JSON', 'hello', 'A message must be a JSON object.'],
  ['JSON that is not an object', '[]', 'type: '],
  ['an unknown type', { type: 'shout' }, 'type: '],
  ['a missing field', { type: 'contextual_update' }, 'text: '],
  ['sound that is not base64', { user_audio_chunk: '%%%' }, 'user_audio_chunk is not base64.'],
])('[X2] reports an invalid frame and continues: %s', async (_, frame, reason) => {
  const server = await startConversations({ config: TEXT })
  const client = await connectRawClient(server.url)
  client.send(OPENING_FRAME)
  await client.seen(isOfType('conversation_initiation_metadata'))
  client.send(frame)
  const { error_event: error } = await client.seen(isOfType('error'))
  expect(error).toMatchObject({ code: 1008, error_type: 'invalid_message' })
  expect(error?.['message']).toContain(reason)
  client.send({ type: 'user_message', text: 'Hello' })
  await client.seen(isOfType('agent_response'))
})

test.each<[string, (send: (frame: unknown) => void) => void, number]>([
  [
    'bad frames without end',
    (send) => {
      for (let at = 0; at < 1_000; at += 1) send('no')
    },
    1008,
  ],
  [
    'frames without end, even of no sound',
    (send) => {
      for (let at = 0; at < 60_000; at += 1) send('{"user_audio_chunk":""}')
    },
    1008,
  ],
  ['a frame of ten megabytes', (send) => send({ user_audio_chunk: 'A'.repeat(10_000_000) }), 1009],
  [
    'sound much faster than it can be spoken',
    (send) => {
      for (let at = 0; at < 400; at += 1) send({ user_audio_chunk: 'AAAA'.repeat(8_000) })
    },
    1008,
  ],
])('[X2] ends a conversation with %s', async (_, misbehave, code) => {
  const server = await startConversations()
  const client = await connectRawClient(server.url)
  client.send(OPENING_FRAME)
  await client.seen(isOfType('conversation_initiation_metadata'))
  misbehave(client.send)
  expect(await client.closed).toMatchObject({ code })
  expect((await server.allFinished()).record.status).toBe(code === 1009 ? 'done' : 'failed')
})

test('[X2] the number of messages is limited', async () => {
  const model: ModelPort = {
    provider: 'test',
    modelId: 'never-done',
    async *stream(_, signal) {
      yield { type: 'text', text: 'Well, ' }
      if (!signal.aborted) await once(signal, 'abort')
    },
  }
  const server = await startConversations({ config: TEXT, model })
  const client = await connectRawClient(server.url)
  client.send(OPENING_FRAME)
  await client.seen(isOfType('conversation_initiation_metadata'))
  for (let at = 0; at < 3_000; at += 1) client.send({ type: 'user_message', text: 'More!' })
  expect(await client.closed).toMatchObject({ code: 1008, reason: 'Too many messages' })
})

test('[X2] ten thousand small frames are handled, and the conversation continues', async () => {
  const server = await startConversations({ config: TEXT })
  const client = await connectRawClient(server.url)
  client.send(OPENING_FRAME)
  await client.seen(isOfType('conversation_initiation_metadata'))
  for (let at = 0; at < 10_000; at += 1) client.send('{"type":"user_activity"}')
  client.send({ type: 'user_message', text: 'Hello' })
  const { agent_response_event: answer } = await client.seen(isOfType('agent_response'))
  expect(answer?.['agent_response']).toMatch(/^Hello\b/)
})

test('[X2] half a sample, a single byte and empty data are not sound', async () => {
  const server = await startConversations({
    model: createScriptedModel([createAnswerScript('Yes.')]),
    speech: createScriptedSpeech(['hello']),
  })
  const client = await connectRawClient(server.url)
  client.send(OPENING_FRAME)
  await client.seen(isOfType('conversation_initiation_metadata'))
  for (const chunk of ['', 'AA==', 'AAAA', 'AAAAAAA=']) client.send({ user_audio_chunk: chunk })
  for (const frame of createSoundFrames()) client.send(frame)
  await client.seen(isOfType('audio'))
  expect(client.frames.some(isOfType('error'))).toBe(false)
})

async function* streamLongText() {
  for (let at = 0; at < 400; at += 1) {
    yield { type: 'text' as const, text: 'x'.repeat(50_000) }
    await new Promise((resolve) => setImmediate(resolve))
  }
}

test('[X2] a client that does not read is disconnected before it uses memory', async () => {
  const server = await startConversations({ config: TEXT, model: createScriptedModel([streamLongText]) })
  const client = await connectRawClient(server.url)
  client.send(OPENING_FRAME)
  await client.seen(isOfType('conversation_initiation_metadata'))
  client.send({ type: 'user_message', text: 'Tell me everything' })
  client.socket.pause()
  const { record } = await server.allFinished()
  expect(record).toMatchObject({
    status: 'failed',
    metadata: { termination_reason: 'The client stopped reading' },
  })
  client.socket.terminate()
})

test('[X2] thirty conversations dropped at random moments leave no resources', async () => {
  const timersBefore = countHandles(/Timeout/)
  const socketsBefore = countHandles(/TCP/)
  const speech = createScriptedSpeech(
    Array.from({ length: 100 }, () => 'what is it'),
    1_000,
  )
  const script = createAnswerScript('It is a boat. It floats well. And it sails.')
  const server = await startConversations({
    speech,
    model: createScriptedModel(Array.from({ length: 100 }, () => script)),
    config: { agent: { first_message: 'Hello there.' } },
  })
  await Promise.all(
    Array.from({ length: 30 }, async (_, at) => {
      const client = await connectRawClient(server.url)
      const moments: (() => unknown)[] = [
        () => undefined,
        () => client.send(OPENING_FRAME),
        () => client.seen(isOfType('conversation_initiation_metadata')),
        () => client.seen(isOfType('audio')),
        () => createSoundFrames().slice(0, 12).forEach(client.send),
        () => client.seen(isOfType('interruption')),
        () => createSoundFrames().slice(12).forEach(client.send),
        () => client.seen(isOfType('user_transcript')),
        () => client.send({ type: 'user_message', text: 'Hello?' }),
      ]
      for (const moment of moments.slice(0, at % (moments.length + 1))) await moment()
      if (at % 2 === 0) client.socket.terminate()
      else client.socket.close()
    }),
  )
  await server.allFinished()
  expect(server.finished).toHaveLength(30)
  expect(new Set(server.finished.map(({ record }) => record.conversation_id)).size).toBe(30)
  expect(server.finished.every(({ record }) => record.status === 'done')).toBe(true)
  expect(server.errors).toEqual([])
  await server.stop()
  await expect.poll(() => countHandles(/TCP/)).toBeLessThanOrEqual(socketsBefore)
  // The test runner has resources too. One leak per conversation would add thirty.
  expect(countHandles(/Timeout/)).toBeLessThan(timersBefore + 10)
})

/** Resources that keep the process alive. */
const countHandles = (kind: RegExp): number =>
  process.getActiveResourcesInfo().filter((name) => kind.test(name)).length

const anyFrame = fc.oneof(
  fc.constantFrom(
    { type: 'user_message', text: 'What is it?' },
    { type: 'user_activity' },
    { type: 'pong', event_id: 1 },
    { type: 'contextual_update', text: 'It rains' },
    { type: 'client_tool_result', tool_call_id: 'call_1', result: 'yes', is_error: false },
    { type: 'feedback', score: 'like', event_id: 3 },
    { type: 'multimodal_message', text: { type: 'user_message', text: 'Look' } },
    OPENING_FRAME,
    { type: 'user_message' },
    { type: 'client_tool_result', tool_call_id: 7 },
  ),
  fc.base64String().map((user_audio_chunk) => ({ user_audio_chunk })),
  fc.json(),
  fc.string(),
)

test('[X2] any frames in any order leave the server running and store the conversation once', async () => {
  const server = await startConversations({
    config: { agent: { first_message: 'Hello.' } },
    speech: createScriptedSpeech([], 1),
  })
  let kept = 0
  await fc.assert(
    fc.asyncProperty(fc.array(anyFrame, { maxLength: 30 }), fc.boolean(), async (frames, isGraceful) => {
      const client = await connectRawClient(server.url)
      for (const frame of frames) client.send(frame)
      if (isGraceful) client.socket.close()
      else client.socket.terminate()
      await client.closed
      await server.allFinished()
      kept += 1
      expect(server.finished).toHaveLength(kept)
      expect(server.errors).toEqual([])
      expect(server.finished.at(-1)?.record.status).toMatch(/done|failed/)
    }),
    { numRuns: 40 },
  )
})

test('[X2] invalid WebSocket bytes end only that conversation', async () => {
  const server = await startConversations({ config: TEXT })
  const { hostname, port } = new URL(server.url)
  const socket = connectTcp(Number(port), hostname)
  socket.on('error', () => undefined)
  socket.write(
    `GET /v1/convai/conversation HTTP/1.1\r\nHost: ${hostname}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: bWFkZSB1cCBieSB1cyEhIQ==\r\n\r\n`,
  )
  await new Promise((resolve) => socket.once('data', resolve))
  socket.write(Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff]))
  await new Promise((resolve) => socket.once('close', resolve))
  expect((await server.allFinished()).record.status).toBe('done')
})
