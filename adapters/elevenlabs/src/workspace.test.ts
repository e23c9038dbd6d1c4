import type { AgentTest, ServerTool } from '@parley/reflections'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createElevenLabsProvider } from './elevenlabs-provider.ts'
import { replyWithJson, startVendorServer, type VendorServer } from './testing/vendor-server.ts'

const { signal } = new AbortController()

let server: VendorServer
let now = Date.parse('2026-01-01T12:00:00Z')
beforeAll(async () => {
  server = await startVendorServer()
})
afterAll(() => server.close())

const provider = () =>
  createElevenLabsProvider({
    apiKey: 'made-up-key',
    baseUrl: server.url,
    testRunMs: 10_000,
    now: () => now,
    sleep: async (ms) => {
      now += ms
    },
  })

const tool: ServerTool = {
  name: 'retrieve_context',
  description: 'Looks up what the person said of something.',
  url: 'http://127.0.0.1:4000/v1/tools/retrieve-context',
  timeoutSeconds: 20,
  headers: {
    'x-tool-secret': { secretId: 'secret_1' },
    'x-bind': { variable: 'bind_sig' },
    'x-kind': 'voice',
  },
  parameters: {
    query: { type: 'string', isRequired: true, value: { kind: 'model', description: 'What to look for' } },
    depth: { type: 'integer', isRequired: false, value: { kind: 'constant', constant: 2 } },
    session: { type: 'string', isRequired: true, value: { kind: 'variable', variable: 'conversation_id' } },
    scope: {
      type: 'string',
      isRequired: false,
      value: { kind: 'model', description: 'Where', oneOf: ['a', 'b'] },
    },
  },
}

const heldTool = (id: string, name: string, url: string) => ({
  id,
  tool_config: { type: 'webhook', name, description: '', api_schema: { url } },
  access_info: { is_creator: true, creator_name: 'x', creator_email: 'x@example.test', role: 'admin' },
  usage_stats: { avg_latency_secs: 0 },
})

test('[V15] a tool is created once, with the source of each value', async () => {
  const other = heldTool('tool_0', tool.name, 'http://127.0.0.1:9/elsewhere')
  server.script(
    replyWithJson({ tools: [other], has_more: false }),
    replyWithJson(heldTool('tool_1', tool.name, tool.url)),
  )
  expect(await provider().ensureTool(tool, signal)).toBe('tool_1')
  expect(server.requests[1]).toMatchObject({ method: 'POST', path: '/v1/convai/tools' })
  expect(server.requests[1]?.body).toEqual({
    tool_config: {
      type: 'webhook',
      interruption_mode: 'allow',
      pre_tool_speech: 'auto',
      execution_mode: 'immediate',
      assignments: [],
      follow_redirects: false,
      tool_error_handling_mode: 'passthrough',
      name: 'retrieve_context',
      description: tool.description,
      response_timeout_secs: 20,
      api_schema: {
        url: tool.url,
        method: 'POST',
        request_headers: {
          'x-tool-secret': { secret_id: 'secret_1' },
          'x-bind': { variable_name: 'bind_sig' },
          'x-kind': 'voice',
        },
        request_body_schema: {
          type: 'object',
          required: ['query', 'session'],
          properties: {
            query: { type: 'string', description: 'What to look for' },
            depth: { type: 'integer', constant_value: 2 },
            session: { type: 'string', dynamic_variable: 'conversation_id' },
            scope: { type: 'string', description: 'Where', enum: ['a', 'b'] },
          },
        },
      },
    },
  })
})

test('[V15] an existing tool is updated', async () => {
  const held = heldTool('tool_1', tool.name, tool.url)
  server.script(replyWithJson({ tools: [held], has_more: false }), replyWithJson(held))
  expect(await provider().ensureTool(tool, signal)).toBe('tool_1')
  expect(server.requests[1]).toMatchObject({ method: 'PATCH', path: '/v1/convai/tools/tool_1' })
})

const heldSecret = { type: 'stored', secret_id: 'secret_1', name: 'tool_secret' }

test.each([
  ['is made', [], 'POST', '/v1/convai/secrets'],
  [
    'is changed',
    [{ ...heldSecret, used_by: { tools: [], agents: [], others: [], phone_numbers: [] } }],
    'PATCH',
    '/v1/convai/secrets/secret_1',
  ],
])('[V15] a secret %s', async (_, secrets, method, path) => {
  server.script(replyWithJson({ secrets }), replyWithJson(heldSecret))
  expect(await provider().ensureSecret('tool_secret', 'made-up-value', signal)).toBe('secret_1')
  expect(server.requests[1]).toMatchObject({
    method,
    path,
    body: { name: 'tool_secret', value: 'made-up-value' },
  })
})

const webhook = { name: 'parley', url: 'http://127.0.0.1:4000/v1/webhooks/elevenlabs' }
const heldWebhook = {
  name: 'parley',
  webhook_id: 'webhook_1',
  webhook_url: webhook.url,
  is_disabled: false,
  is_auto_disabled: false,
  created_at_unix: 1,
  auth_type: 'hmac',
}

test('[V16] a webhook returns its secret only when created', async () => {
  server.script(
    replyWithJson({ webhooks: [] }),
    replyWithJson({ webhook_id: 'webhook_1', webhook_secret: 'wsec_made_up' }),
    replyWithJson({ status: 'ok' }),
  )
  expect(await provider().ensureWebhook(webhook, signal)).toEqual({
    webhookId: 'webhook_1',
    secret: 'wsec_made_up',
  })
  expect(server.requests[2]).toMatchObject({ method: 'PATCH', body: { retry_enabled: true } })
  server.script(replyWithJson({ webhooks: [heldWebhook] }))
  expect(await provider().ensureWebhook(webhook, signal)).toEqual({ webhookId: 'webhook_1' })
  expect(server.requests).toHaveLength(1)
})

test.each(['is_disabled', 'is_auto_disabled'])('[V16] a webhook that %s is enabled again', async (flag) => {
  server.script(
    replyWithJson({ webhooks: [{ ...heldWebhook, [flag]: true }] }),
    replyWithJson({ status: 'ok' }),
  )
  expect(await provider().ensureWebhook(webhook, signal)).toEqual({ webhookId: 'webhook_1' })
  expect(server.requests[1]).toMatchObject({ method: 'PATCH', body: { is_disabled: false } })
})

const basics = {
  name: 'says no',
  variables: { user_id: 'u1' },
  history: [{ role: 'person', text: 'Hi' }],
} as const
const TESTS: readonly (readonly [AgentTest, object])[] = [
  [
    { ...basics, kind: 'answer', condition: 'Is it polite?', goodAnswers: ['Hello'], badAnswers: ['Go'] },
    {
      type: 'llm',
      success_condition: 'Is it polite?',
      success_examples: [{ response: 'Hello', type: 'success' }],
      failure_examples: [{ response: 'Go', type: 'failure' }],
    },
  ],
  [
    { ...basics, kind: 'tool', toolId: 'tool_1', expect: 'not-called' },
    {
      type: 'tool',
      tool_call_parameters: { referenced_tool: { id: 'tool_1', type: 'webhook' }, verify_absence: true },
    },
  ],
  [
    { ...basics, kind: 'simulation', scenario: 'A stranger', maxTurns: 3, conditions: ['It stays polite'] },
    {
      type: 'simulation',
      simulation_scenario: 'A stranger',
      simulation_max_turns: 3,
      success_conditions: ['It stays polite'],
    },
  ],
]

test.each(TESTS)(
  '[P14] a test of the kind $kind is created in the provider’s format',
  async (wanted, body) => {
    server.script(replyWithJson({ tests: [], has_more: false }), replyWithJson({ id: 'test_1' }))
    expect(await provider().ensureTest(wanted, signal)).toBe('test_1')
    expect(server.requests[1]).toMatchObject({
      method: 'POST',
      path: '/v1/convai/agent-testing/create',
      body: {
        ...body,
        name: 'says no',
        dynamic_variables: { user_id: 'u1' },
        chat_history: [{ role: 'user', message: 'Hi', time_in_call_secs: 0 }],
      },
    })
  },
)

const runOf = (status: string, rationale?: object) =>
  replyWithJson({
    id: 'run_1',
    test_runs: [
      {
        test_run_id: 'r1',
        test_invocation_id: 'run_1',
        agent_id: 'agent_1',
        test_id: 'test_1',
        test_name: 'says no',
        status,
        ...(rationale && { condition_result: { result: 'failure', rationale } }),
      },
    ],
  })

test('[P14] a run is polled until every test has a verdict', async () => {
  server.script(
    runOf('pending'),
    runOf('pending'),
    runOf('failed', { summary: 'It was rude', messages: ['Go'] }),
  )
  expect(await provider().runTests('agent_1', ['test_1'], signal)).toEqual({
    kind: 'run',
    results: [{ testId: 'test_1', testName: 'says no', verdict: 'failed', reasons: ['It was rude', 'Go'] }],
  })
  expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /v1/convai/agents/agent_1/run-tests',
    'GET /v1/convai/test-invocations/run_1',
    'GET /v1/convai/test-invocations/run_1',
  ])
})

test.each(['pending', 'cancelled', 'unheard-of'])(
  '[P14] a test that stays %s is unfinished',
  async (status) => {
    server.script(runOf(status))
    expect(await provider().runTests('agent_1', ['test_1'], signal)).toMatchObject({
      results: [{ verdict: 'unfinished' }],
    })
  },
)
