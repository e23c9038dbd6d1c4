import { findDifferences, type ProviderAgent } from '@parley/reflections'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createElevenLabsProvider } from './elevenlabs-provider.ts'
import { arbitraryTemplate, template } from './testing/arbitrary-template.ts'
import {
  createAgentKeeper,
  replyWithJson,
  startVendorServer,
  type VendorServer,
} from './testing/vendor-server.ts'

const { signal } = new AbortController()
let server: VendorServer
beforeAll(async () => {
  server = await startVendorServer()
})
afterAll(() => server.close())

const provider = () => createElevenLabsProvider({ apiKey: 'made-up-key', baseUrl: server.url })

async function readHeld(): Promise<ProviderAgent> {
  const held = await provider().readAgent('agent_1', signal)
  if (held.kind !== 'agent') throw new Error(held.reason)
  return held
}

test('[V14] a template survives a round trip over the wire', { timeout: 120_000 }, async () => {
  server.script(createAgentKeeper())
  await fc.assert(
    fc.asyncProperty(arbitraryTemplate, async (any) => {
      await provider().createAgent(any, signal)
      const held = await readHeld()
      expect(findDifferences(any, held.template)).toEqual([])
      expect(held.unexpectedPaths).toEqual([])
    }),
    { numRuns: 50 },
  )
})

test('[V14] the request uses the wire’s names and values', async () => {
  server.script(createAgentKeeper())
  await provider().createAgent({ ...template, endCall: null, temperature: null }, signal)
  expect(server.requests).toMatchObject([
    {
      method: 'POST',
      path: '/v1/convai/agents/create',
      apiKey: 'made-up-key',
      body: {
        name: 'A reflection',
        conversation_config: {
          agent: {
            first_message: 'Hello, {{user_name}}.',
            dynamic_variables: {
              dynamic_variable_placeholders: { creator_name: 'nobody', user_name: 'you' },
            },
            prompt: {
              llm: 'claude-sonnet-4-6',
              temperature: null,
              max_tokens: 500,
              enable_parallel_tool_calls: false,
              tool_ids: ['tool_1'],
              built_in_tools: { end_call: null },
            },
          },
          tts: { voice_id: 'voice_1', agent_output_audio_format: 'pcm_16000' },
        },
        platform_settings: {
          auth: { enable_auth: true },
          overrides: { conversation_config_override: { agent: { first_message: false } } },
        },
      },
    },
  ])
  const sent = JSON.stringify(server.requests[0]?.body)
  expect(sent).not.toContain('"tools"')
  expect(sent).not.toContain('"workflow"')
})

test('[V14] an update sends every field, so changes at the provider are undone', async () => {
  server.script(createAgentKeeper())
  await provider().createAgent(template, signal)
  const created = server.requests[0]?.body
  expect(await provider().updateAgent('agent_1', template, signal)).toEqual({ kind: 'updated' })
  expect(server.requests[1]).toMatchObject({ method: 'PATCH', path: '/v1/convai/agents/agent_1' })
  expect(server.requests[1]?.body).toEqual(created)
})

test('[P13] changes and additions at the provider are reported field by field', async () => {
  server.script(
    replyWithJson({
      agent_id: 'agent_1',
      name: 'A reflection',
      metadata: { created_at_unix_secs: 1, updated_at_unix_secs: 1 },
      conversation_config: {
        agent: {
          first_message: 'Hello, {{user_name}}.',
          dynamic_variables: { dynamic_variable_placeholders: { creator_name: 'nobody' } },
          prompt: {
            prompt: 'You speak for {{creator_name}}.',
            llm: 'gpt-of-tomorrow',
            temperature: 0.4,
            max_tokens: -1,
            tool_ids: ['tool_1'],
            knowledge_base: [{ type: 'file', name: 'notes', id: 'doc_1' }],
            built_in_tools: {
              end_call: { type: 'system', name: 'end_call', params: { system_tool_type: 'end_call' } },
              skip_turn: { type: 'system', name: 'skip_turn', params: { system_tool_type: 'skip_turn' } },
            },
          },
        },
        tts: { voice_id: 'voice_2', model_id: 'eleven_turbo_v2', speed: 1.1 },
      },
      platform_settings: {
        auth: { enable_auth: false, shareable_token: 'made-up' },
        overrides: { conversation_config_override: { agent: { prompt: { prompt: true } } } },
        privacy: { record_voice: false, retention_days: 30 },
      },
    }),
  )
  const held = await readHeld()
  expect(findDifferences(template, held.template)).toEqual([
    { path: 'model', wanted: 'claude-sonnet-4-6', held: 'gpt-of-tomorrow' },
    { path: 'maxOutputTokens', wanted: 500, held: null },
    { path: 'placeholders.user_name', wanted: 'you' },
    { path: 'voiceId', wanted: 'voice_1', held: 'voice_2' },
    { path: 'authRequired', wanted: true, held: false },
    { path: 'overrides', wanted: [], held: ['agent.prompt.prompt'] },
  ])
  expect(held.unexpectedPaths).toEqual([
    'prompt.knowledgeBase',
    'auth.shareableToken',
    'prompt.builtInTools.skipTurn',
    'tts.modelId',
  ])
  expect(held.otherFields).toEqual({ 'tts.speed': 1.1 })
})

const summary = (agentId: string) => ({
  agent_id: agentId,
  name: 'A reflection',
  voice_id: 'voice_1',
  tags: [],
  created_at_unix_secs: 1_767_268_800,
  access_info: { is_creator: true, creator_name: 'x', creator_email: 'x@example.test', role: 'admin' },
})

test('[P13] lists all agents, page after page', async () => {
  server.script(
    replyWithJson({ agents: [summary('agent_1')], has_more: true, next_cursor: 'more' }),
    replyWithJson({ agents: [summary('agent_2')], has_more: false, next_cursor: null }),
  )
  expect(await provider().listAgents(signal)).toEqual([
    { agentId: 'agent_1', name: 'A reflection', createdAt: '2026-01-01T12:00:00.000Z' },
    { agentId: 'agent_2', name: 'A reflection', createdAt: '2026-01-01T12:00:00.000Z' },
  ])
  expect(server.requests.map(({ path }) => path)).toEqual([
    '/v1/convai/agents?page_size=100',
    '/v1/convai/agents?page_size=100&cursor=more',
  ])
})
