import { openSpeech } from '@parley/offline-speech'
import { decodeSound, encodeSound, joinSamples } from '@parley/speech'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { ToolConfig } from '../agents/tool-document.ts'
import {
  connectRawClient,
  OPENING_FRAME,
  isOfType,
  startConversations,
} from './conversation-server.fixture.ts'
import { startSourceServer } from './source-server.fixture.ts'

const speech = openSpeech({ onError: () => undefined })
afterAll(() => speech.close())

test('[X2] a spoken question is recognised, looked up over HTTP, and answered in intelligible speech', async () => {
  const signal = new AbortController().signal
  const sources = await startSourceServer({
    evidence: [{ text: 'The pear tree was planted by my sister.', source: { title: 'Garden notes' } }],
  })
  onTestFinished(() => sources.stop())
  const retrieve = ToolConfig.parse({
    type: 'webhook',
    name: 'retrieve_context',
    description: 'Looks things up.',
    api_schema: {
      url: sources.url,
      method: 'POST',
      request_headers: { 'x-secret': { secret_id: 'sec_1' } },
      request_body_schema: {
        type: 'object',
        required: ['query'],
        properties: {
          query: { type: 'string', description: 'The question' },
          conversation_id: { type: 'string', dynamic_variable: 'system__conversation_id' },
        },
      },
    },
  })
  const server = await startConversations({
    speech,
    secrets: { sec_1: 'made-up-secret' },
    config: { agent: { prompt: { tools: [retrieve] } } },
  })
  const question = await speech.synthesiser.synthesise('Who planted the pear tree?', {}, signal)
  const client = await connectRawClient(server.url)
  client.send(OPENING_FRAME)
  await client.seen(isOfType('conversation_initiation_metadata'))
  const silence = { samples: new Int16Array(16_000), sampleRate: 16_000 }
  for (const sound of [silence, question, silence]) {
    const bytes = Buffer.from(encodeSound(sound, 'pcm_16000'))
    for (let at = 0; at < bytes.length; at += 3_200)
      client.send({ user_audio_chunk: bytes.subarray(at, at + 3_200).toString('base64') })
  }
  const { user_transcription_event: heard } = await client.seen(isOfType('user_transcript'))
  expect(String(heard?.['user_transcript']).toLowerCase()).toMatch(/pear tree/)
  const { agent_response_event: answered } = await client.seen(isOfType('agent_response'))
  expect(answered?.['agent_response']).toBe(
    'The pear tree was planted by my sister. That is from Garden notes.',
  )
  expect(sources.asked).toMatchObject([
    {
      headers: { 'x-secret': 'made-up-secret' },
      body: { conversation_id: expect.stringMatching(/^conv_/) },
    },
  ])

  // The last piece of an answer is shorter than the rest.
  const isLast = () => {
    const sizes = client.frames
      .filter(isOfType('audio'))
      .map(({ audio_event: event }) => String(event?.['audio_base_64']).length)
    return sizes.length > 1 && (sizes.at(-1) ?? 0) < (sizes[0] ?? 0)
  }
  await client.seen(isLast)
  const sounds = client.frames
    .filter(isOfType('audio'))
    .map(
      ({ audio_event: event }) =>
        decodeSound(Buffer.from(String(event?.['audio_base_64']), 'base64'), 'pcm_16000').samples,
    )
  const said = await speech.recogniser.recognise({ samples: joinSamples(sounds), sampleRate: 16_000 }, signal)
  expect(said.toLowerCase()).toMatch(/planted by my sister/)
  client.socket.close()
  const { record } = await server.allFinished()
  expect(
    record.transcript.map(({ role, source_medium: medium, tool_calls: calls }) => [
      role,
      medium,
      calls.length,
    ]),
  ).toEqual([
    ['user', 'audio', 0],
    ['agent', null, 1],
    ['agent', null, 0],
  ])
})
