import { answering, scriptedModel } from '@parley/engine/testing'
import { afterEach, expect, test } from 'vitest'
import {
  connect,
  OPENING,
  ofType,
  scriptedSpeech,
  spokenFrames,
  startConversations,
} from './conversation-server.fixture.ts'

let server: Awaited<ReturnType<typeof startConversations>>
afterEach(() => server.stop())

const TEXT = { conversation: { text_only: true } }

test('[X2] tells the metadata first, greets, answers a message in parts and as a whole, and keeps all of it', async () => {
  server = await startConversations({
    config: {
      ...TEXT,
      agent: { first_message: 'Hello {{name}}.', prompt: { prompt: 'You help {{name}}.' } },
    },
    model: scriptedModel([answering('I am well. Thank you.')]),
  })
  const client = await connect(server.url, ['convai'])
  expect(client.socket.protocol).toBe('convai')
  client.send({ ...OPENING, dynamic_variables: { name: 'Ada' } })
  await client.seen(ofType('agent_response'))
  expect(client.frames[0]?.type).toBe('conversation_initiation_metadata')
  const from = client.frames.length
  client.send({ type: 'user_message', text: 'How are you?' })
  const answer = await client.seen(ofType('agent_response'), from)
  expect(answer['agent_response_event']?.['agent_response']).toBe('I am well. Thank you.')
  const parts = client.frames
    .slice(from)
    .filter(ofType('agent_chat_response_part'))
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

test('[X2] says that a custom LLM cannot be used, and goes on offline', async () => {
  const prompt = { llm: 'custom-llm', custom_llm: { url: 'nowhere' }, prompt: 'The bakery opens at seven.' }
  server = await startConversations({ config: { ...TEXT, agent: { prompt } } })
  const client = await connect(server.url)
  client.send(OPENING)
  const { error_event } = await client.seen(ofType('error'))
  expect(error_event).toMatchObject({ code: 1011, error_type: 'custom_llm_error' })
  expect(server.errors).toMatchObject([{ code: 'config_invalid', detail: { agentId: 'agent_test' } }])
  client.send({ type: 'contextual_update', text: 'The cart holds two pears.' })
  for (const [asked, answer] of [
    ['When does the bakery open?', 'The bakery opens at seven.'],
    ['What is in the cart?', 'The cart holds two pears.'],
  ]) {
    const from = client.frames.length
    client.send({ type: 'user_message', text: asked })
    const { agent_response_event } = await client.seen(ofType('agent_response'), from)
    expect(agent_response_event?.['agent_response']).toBe(answer)
  }
})

test('[X2] hears a spoken question, speaks its answer, and keeps both as sound', async () => {
  const speech = scriptedSpeech(['what is it'])
  server = await startConversations({ model: scriptedModel([answering('It is a boat. It floats.')]), speech })
  const client = await connect(server.url)
  client.send(OPENING)
  await client.seen(ofType('conversation_initiation_metadata'))
  for (const frame of spokenFrames()) client.send(frame)
  await client.seen(({ user_transcription_event: event }) => event?.['user_transcript'] === 'what is it')
  await client.seen(ofType('audio'))
  await client.seen(ofType('agent_response'))
  client.socket.close()
  const { record, audio } = await server.allFinished()
  expect(speech.spoken).toEqual(['It is a boat.', 'It floats.'])
  expect(record).toMatchObject({ has_audio: true, has_user_audio: true, has_response_audio: true })
  expect(audio?.byteLength).toBeGreaterThan(44)
})
