import { Conversation as ClientConversation } from '@elevenlabs/client'
import { ElevenLabsClient } from '@elevenlabs/elevenlabs-js/Client.js'
import { Conversation as NodeConversation } from '@elevenlabs/elevenlabs-js/api/resources/conversationalAi/conversation/index.js'
import type { CallId } from '@parley/contracts'
import { createAnswerScript, createScriptedModel } from '@parley/engine/testing'
import { expect, test } from 'vitest'
import { ToolConfig } from '../agents/tool-document.ts'
import { createScriptedSpeech, createSoundFrames, startConversations } from './conversation-server.fixture.ts'

test('[X2] @elevenlabs/client talks by text: greeting, message, client tool, goodbye', async () => {
  const show = ToolConfig.parse({
    type: 'client',
    name: 'show',
    description: 'Shows.',
    expects_response: true,
    parameters: {
      type: 'object',
      properties: { what: { type: 'string', description: 'What' } },
      required: ['what'],
    },
  })
  const end_call = { name: 'end_call', params: { system_tool_type: 'end_call' } }
  const model = createScriptedModel([
    [
      { type: 'tool_call', call: { id: 'call_1' as CallId, name: 'show', input: { what: 'boat' } } },
      { type: 'finish', reason: 'completed' },
    ],
    createAnswerScript('There it is.'),
    [
      { type: 'text', text: 'Goodbye.' },
      { type: 'tool_call', call: { id: 'call_2' as CallId, name: 'end_call', input: {} } },
      { type: 'finish', reason: 'completed' },
    ],
  ])
  const server = await startConversations({
    model,
    config: {
      conversation: { text_only: true },
      agent: { first_message: 'Hello {{name}}.', prompt: { tools: [show], built_in_tools: { end_call } } },
    },
  })
  const messages: string[] = []
  const errors: unknown[] = []
  const shown: unknown[] = []
  const gone = Promise.withResolvers<unknown>()
  const conversation = await ClientConversation.startSession({
    signedUrl: `${server.url}?agent_id=agent_test&conversation_signature=made-up`,
    textOnly: true,
    dynamicVariables: { name: 'Ada' },
    clientTools: {
      show: (given: unknown) => {
        shown.push(given)
        return 'shown'
      },
    },
    onMessage: ({ source, message }) => messages.push(`${source}: ${message}`),
    onError: (error) => errors.push(error),
    onDisconnect: (details) => gone.resolve(details),
  })
  expect(conversation.getId()).toMatch(/^conv_/)
  await expect.poll(() => messages).toContain('ai: Hello Ada.')
  conversation.sendUserMessage('Show me a boat')
  await expect.poll(() => messages).toContain('ai: There it is.')
  expect(shown).toEqual([{ what: 'boat' }])
  conversation.sendUserMessage('Bye')
  expect(await gone.promise).toMatchObject({ reason: 'agent' })
  expect(errors).toEqual([])
  const { record } = await server.allFinished()
  expect(record.transcript.at(-1)?.message).toBe('Goodbye.')
})

test('[X2] @elevenlabs/client gets the name of a missing variable', async () => {
  const server = await startConversations({
    config: { conversation: { text_only: true }, agent: { first_message: 'Hello {{name}}.' } },
  })
  const started = ClientConversation.startSession({
    signedUrl: `${server.url}?agent_id=agent_test`,
    textOnly: true,
  })
  await expect(started).rejects.toMatchObject({
    closeCode: 1008,
    closeReason: "Missing required dynamic variables in first message: {'name'}",
  })
})

test('[X2] elevenlabs-js talks by voice: a question in, an answer out, both as sound', async () => {
  const speech = createScriptedSpeech(['what is it'], 5)
  const server = await startConversations({
    speech,
    model: createScriptedModel([createAnswerScript('It is a boat.')]),
  })
  const heard: Buffer[] = []
  const transcripts: string[] = []
  const responses: string[] = []
  const speak = Promise.withResolvers<(audio: Buffer) => void>()
  const client = new ElevenLabsClient({ apiKey: 'made-up', baseUrl: server.httpUrl })
  const conversation = new NodeConversation({
    client,
    agentId: 'agent_test',
    requiresAuth: true,
    audioInterface: {
      start: (input) => speak.resolve(input),
      stop: () => undefined,
      output: (audio) => void heard.push(audio),
      interrupt: () => undefined,
    },
    callbackUserTranscript: (text) => transcripts.push(text),
    callbackAgentResponse: (text) => responses.push(text),
  })
  await conversation.startSession()
  const say = await speak.promise
  for (const { user_audio_chunk: chunk } of createSoundFrames()) say(Buffer.from(chunk, 'base64'))
  await expect.poll(() => responses).toEqual(['It is a boat.'])
  await expect.poll(() => Buffer.concat(heard).length).toBeGreaterThan(1_000)
  expect(transcripts).toEqual(['what is it'])
  expect(conversation.getConversationId()).toMatch(/^conv_/)
  conversation.endSession()
  const { record } = await server.allFinished()
  expect(record).toMatchObject({ status: 'done', has_user_audio: true, has_response_audio: true })
})
