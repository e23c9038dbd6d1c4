import type { CallId } from '@parley/contracts'
import { createAnswerScript, createScriptedModel } from '@parley/engine/testing'
import { expect, onTestFinished, test } from 'vitest'
import {
  connectRawClient,
  OPENING_FRAME,
  isOfType,
  startConversations,
} from './conversation-server.fixture.ts'
import { startSourceServer } from './source-server.fixture.ts'

const TEXT = { text_only: true }
const createTool = (api_schema: unknown) => ({
  id: 'tool_1',
  tool_config: { type: 'webhook', name: 'ask', description: 'Asks.', api_schema },
})

test.each<[string, object, object, string]>([
  [
    'a variable of the first message',
    { agent: { first_message: 'Hello {{name}} of {{city}}' } },
    { dynamic_variables: { city: 'Oslo' } },
    "Missing required dynamic variables in first message: {'name'}",
  ],
  [
    'a variable of the prompt',
    { agent: { prompt: { prompt: 'You are {{persona}}.' } } },
    {},
    "Missing required dynamic variables in prompt: {'persona'}",
  ],
  [
    'a variable of a tool',
    {
      agent: {
        prompt: {
          tools: [
            createTool({
              url: 'http://127.0.0.1/{{id}}',
              request_headers: { 'x-key': { variable_name: 'secret__key' } },
            }).tool_config,
          ],
        },
      },
    },
    {},
    "Missing required dynamic variables in tools: {'id', 'secret__key'}",
  ],
  [
    'a variable that is the provider’s',
    {},
    { dynamic_variables: { system__conversation_id: 'conv_forged' } },
    "Dynamic variable 'system__conversation_id' is reserved: names with system__ cannot be set.",
  ],
  [
    'an override that the agent does not allow',
    {},
    { conversation_config_override: { agent: { first_message: 'Mine' } } },
    "Override for field 'first_message' is not allowed by config.",
  ],
  [
    'an override within an override',
    {},
    { conversation_config_override: { agent: { prompt: { prompt: 'Mine' } } } },
    "Override for field 'prompt' is not allowed by config.",
  ],
  [
    'a body for the model that the agent does not allow',
    {},
    { custom_llm_extra_body: { a: 1 } },
    "Override for field 'custom_llm_extra_body' is not allowed by config.",
  ],
])('[X2] closes with 1008 before sending anything: %s', async (_, config, opening, reason) => {
  const server = await startConversations({ config })
  const client = await connectRawClient(server.url)
  client.send({ ...OPENING_FRAME, ...opening })
  expect(await client.closed).toEqual({ code: 1008, reason })
  expect(client.frames).toEqual([])
  const { record } = await server.allFinished()
  expect(record).toMatchObject({ status: 'failed', metadata: { error: { code: 1008, reason } } })
})

test('[X2] a long reason fits into a close frame', async () => {
  const names = Array.from({ length: 30 }, (_, at) => `{{variable_with_ä_${at}}}`).join('')
  const server = await startConversations({ config: { agent: { first_message: names } } })
  const client = await connectRawClient(server.url)
  client.send(OPENING_FRAME)
  const { code, reason } = await client.closed
  expect(code).toBe(1008)
  expect(Buffer.byteLength(reason)).toBeLessThanOrEqual(123)
})

test('[X2] applies allowed overrides and ignores empty objects', async () => {
  const model = createScriptedModel([createAnswerScript('Yes.')])
  const server = await startConversations({
    model,
    config: { agent: { first_message: 'Yours', prompt: { prompt: 'Theirs' } } },
    platform: {
      overrides: {
        conversation_config_override: {
          agent: { first_message: true, prompt: { prompt: true } },
          conversation: TEXT,
        },
      },
    },
  })
  const client = await connectRawClient(server.url)
  client.send({
    ...OPENING_FRAME,
    custom_llm_extra_body: {},
    conversation_config_override: {
      agent: { first_message: 'Mine, {{name}}', prompt: { prompt: 'For {{name}}' }, language: 'en' },
      tts: {},
      conversation: TEXT,
    },
    dynamic_variables: { name: 'Ada' },
  })
  const greeting = await client.seen(isOfType('agent_response'))
  expect(greeting['agent_response_event']?.['agent_response']).toBe('Mine, Ada')
  client.send({ type: 'user_message', text: 'Really?' })
  await client.seen(isOfType('agent_response'), client.frames.length)
  expect(model.asked[0]?.system).toBe('For Ada')
})

test('[X2] placeholders and system variables are filled in', async () => {
  const server = await startConversations({
    config: {
      conversation: TEXT,
      agent: {
        first_message:
          '{{name}} {{system__agent_id}} {{system__conversation_id}} {{system__call_duration_secs}}',
        dynamic_variables: { dynamic_variable_placeholders: { name: 'Nobody' } },
      },
    },
  })
  const client = await connectRawClient(server.url)
  client.send(OPENING_FRAME)
  const greeting = await client.seen(isOfType('agent_response'))
  expect(greeting['agent_response_event']?.['agent_response']).toMatch(/^Nobody agent_test conv_\w+ 0$/)
})

test('[X2] a secret reaches only tool headers, not the model, the client or the record', async () => {
  const model = createScriptedModel([createAnswerScript('Yes.')])
  const server = await startConversations({
    model,
    config: {
      conversation: TEXT,
      agent: { first_message: 'Hi {{secret__key}}', prompt: { prompt: 'Key: {{secret__key}}' } },
    },
  })
  const client = await connectRawClient(server.url)
  client.send({ ...OPENING_FRAME, dynamic_variables: { secret__key: 'made-up-secret' } })
  await client.seen(isOfType('agent_response'))
  client.send({ type: 'user_message', text: 'Hello?' })
  await client.seen(isOfType('agent_response'), client.frames.length)
  client.socket.close()
  const { record } = await server.allFinished()
  expect(JSON.stringify([model.asked, client.frames, record])).not.toContain('made-up-secret')
})

test('[X2] a secret repeated by a tool’s server, a person or a client is not stored', async () => {
  const sources = await startSourceServer({ token: 'made-up-token', key: 'made-up-secret' })
  onTestFinished(() => sources.stop())
  const log_in = {
    type: 'webhook',
    name: 'log_in',
    description: 'Logs in.',
    assignments: [{ dynamic_variable: 'token', value_path: 'token' }],
    api_schema: {
      url: sources.url,
      method: 'POST',
      request_headers: { 'x-key': { secret_id: 'sec_1' }, authorization: 'Bearer {{secret__token}}' },
      request_body_schema: { type: 'object', properties: {} },
    },
  }
  const call = { id: 'call_1' as CallId, name: 'log_in', input: { note: 'made-up-token' } }
  const calling = [
    { type: 'tool_call', call },
    { type: 'finish', reason: 'completed' },
  ] as const
  const server = await startConversations({
    model: createScriptedModel([calling, createAnswerScript('It is made-up-secret.')]),
    secrets: { sec_1: 'made-up-secret' },
    config: { conversation: TEXT, agent: { prompt: { tools: [log_in] } } },
  })
  const client = await connectRawClient(server.url)
  const dynamic_variables = { secret__token: 'made-up-token', note: 'made-up-token' }
  client.send({ ...OPENING_FRAME, dynamic_variables })
  await client.seen(isOfType('conversation_initiation_metadata'))
  client.send({ type: 'user_message', text: 'My token is made-up-token' })
  await client.seen(isOfType('agent_response'))
  client.socket.close()
  const { record } = await server.allFinished()
  expect(sources.asked).toMatchObject([{ headers: { authorization: 'Bearer made-up-token' } }])
  expect(JSON.stringify([record, server.saved.at(-1)])).not.toMatch(/made-up-(token|secret)/)
  expect(record.conversation_initiation_client_data.dynamic_variables).toMatchObject({
    token: '[secret secret__token]',
  })
})

test('[X2] a client that opens with an invalid message is rejected', async () => {
  const server = await startConversations()
  const client = await connectRawClient(server.url)
  client.send({ ...OPENING_FRAME, dynamic_variables: ['name'] })
  const { code, reason } = await client.closed
  expect(code).toBe(1008)
  expect(reason).toMatch(/^Invalid message received: dynamic_variables/)
})

test('[X2] a client that opens with another frame gets the defaults', async () => {
  const server = await startConversations({
    config: { conversation: TEXT },
    model: createScriptedModel([createAnswerScript('Yes.')]),
  })
  const client = await connectRawClient(server.url)
  client.send({ type: 'user_message', text: 'Hello?' })
  await client.seen(isOfType('agent_response'))
  expect(client.frames[0]?.type).toBe('conversation_initiation_metadata')
})

test('[X2] sends only the events that the agent lists', async () => {
  const server = await startConversations({
    config: { agent: { first_message: 'Hello.' }, conversation: { client_events: ['agent_response'] } },
  })
  const client = await connectRawClient(server.url)
  client.send(OPENING_FRAME)
  await client.seen(isOfType('agent_response'))
  client.send({ type: 'user_message', text: 'Are you there?' })
  await client.seen(isOfType('agent_response'), client.frames.length)
  expect(new Set(client.frames.map(({ type }) => type))).toEqual(
    new Set(['conversation_initiation_metadata', 'agent_response']),
  )
})

test('[X2] a fault rule cuts the socket, and the conversation is stored as failed', async () => {
  const server = await startConversations({ config: { conversation: TEXT } })
  server.faults.set([{ match: 'conversation', dropSocketAfterMs: 50 }])
  const client = await connectRawClient(server.url)
  client.send(OPENING_FRAME)
  expect(await client.closed).toMatchObject({ code: 1006 })
  expect((await server.allFinished()).record.status).toBe('failed')
})

test('[X2] ends when the server stops', async () => {
  const server = await startConversations({
    config: { agent: { first_message: 'Hello there, this is long enough to be spoken for a while.' } },
  })
  const client = await connectRawClient(server.url)
  client.send(OPENING_FRAME)
  await client.seen(isOfType('audio'))
  server.stopConversations()
  expect(await client.closed).toMatchObject({ code: 1001 })
  expect((await server.allFinished()).record).toMatchObject({
    status: 'done',
    metadata: { termination_reason: 'The server is stopping' },
  })
})
