import { openProvider } from '@parley/postgres'
import { describe, expect, test } from 'vitest'
import { startTestVoice } from '../testing/test-voice.ts'
import { getVendorError, createVendorClient } from '../testing/vendor-client.ts'

const WEBHOOK_TOOL = {
  type: 'webhook',
  name: 'find_order',
  description: 'Finds an order',
  apiSchema: {
    url: 'http://127.0.0.1:9/orders/{id}',
    method: 'GET',
    pathParamsSchema: { id: { type: 'string', description: 'The number of the order' } },
    requestHeaders: { authorization: { secretId: 'secret_none' } },
  },
} as const

describe('tools', () => {
  test('[X2] the vendor’s client creates, reads, changes, lists and deletes them', async () => {
    const { tools, agents } = createVendorClient(await startTestVoice()).conversationalAi
    const { id, toolConfig } = await tools.create({ toolConfig: WEBHOOK_TOOL })
    expect(toolConfig).toMatchObject({
      name: 'find_order',
      responseTimeoutSecs: 20,
      executionMode: 'immediate',
    })
    const client = await tools.create({
      toolConfig: {
        type: 'client',
        name: 'show_map',
        description: 'Shows a map',
        expectsResponse: true,
        parameters: {
          type: 'object',
          required: ['place'],
          properties: {
            place: { type: 'string', description: 'Where' },
            marks: { type: 'array', items: { type: 'string', description: 'A mark' } },
          },
        },
      },
    })
    expect(await tools.get(client.id)).toMatchObject({ toolConfig: { type: 'client', name: 'show_map' } })
    const changed = await tools.update(id, {
      toolConfig: { ...WEBHOOK_TOOL, description: 'Finds one order' },
    })
    expect(changed.toolConfig).toMatchObject({ description: 'Finds one order' })
    expect((await tools.list({ search: 'order' })).tools).toMatchObject([{ id }])
    expect((await tools.list()).tools).toHaveLength(2)

    const { agentId } = await agents.create({
      name: 'Clerk',
      conversationConfig: { agent: { prompt: { toolIds: [id] } } },
    })
    expect(await tools.getDependentAgents(id)).toMatchObject({ agents: [{ id: agentId, name: 'Clerk' }] })
    expect(await getVendorError(tools.delete(id))).toMatchObject({ statusCode: 409 })
    await tools.delete(id, { force: true })
    expect(await getVendorError(tools.get(id))).toMatchObject({
      statusCode: 404,
      body: { detail: { status: 'tool_not_found' } },
    })
  })

  test.each([
    ['a name with spaces', { name: 'find order' }, 'invalid_format'],
    [
      'a parameter that nobody fills',
      { apiSchema: { ...WEBHOOK_TOOL.apiSchema, pathParamsSchema: { id: { type: 'string' } } } },
      'custom',
    ],
    ['a timeout out of range', { responseTimeoutSecs: 1_000 }, 'too_big'],
  ])('[X2] %s is rejected', async (_, change, type) => {
    const { tools } = createVendorClient(await startTestVoice()).conversationalAi
    const failure = await getVendorError(
      tools.create({ toolConfig: { ...WEBHOOK_TOOL, ...change } as typeof WEBHOOK_TOOL }),
    )
    expect(failure).toMatchObject({ statusCode: 422, body: { detail: [{ type }] } })
  })
})

test('[X2] a secret is never returned and cannot be deleted while in use', async () => {
  const voice = await startTestVoice()
  const { secrets, tools } = createVendorClient(voice).conversationalAi
  const { secretId } = await secrets.create({ name: 'KEY', value: 'made-up-value' })
  await secrets.update(secretId, { name: 'KEY', value: 'another-made-up-value' })
  const { apiSchema } = WEBHOOK_TOOL
  const tool = await tools.create({
    toolConfig: {
      ...WEBHOOK_TOOL,
      apiSchema: { ...apiSchema, requestHeaders: { authorization: { secretId } } },
    },
  })
  const listed = await secrets.list()
  expect(listed.secrets).toMatchObject([
    { secretId, name: 'KEY', usedBy: { tools: [{ id: tool.id, name: 'find_order' }] } },
  ])
  expect(JSON.stringify(listed)).not.toContain('made-up-value')
  expect(await getVendorError(secrets.delete(secretId))).toMatchObject({ statusCode: 409 })
  await tools.delete(tool.id)
  await secrets.delete(secretId)
  expect(await getVendorError(secrets.delete(secretId))).toMatchObject({ statusCode: 404 })
})

test('[X2] workspace settings can be changed one by one', async () => {
  const { settings } = createVendorClient(await startTestVoice()).conversationalAi
  expect(await settings.get()).toMatchObject({ canUseMcpServers: false })
  await settings.update({ webhooks: { postCallWebhookId: 'webhook_1', events: ['transcript', 'audio'] } })
  const initiation = { url: 'http://127.0.0.1:9/start', requestHeaders: { 'x-key': 'made-up' } }
  await settings.update({ conversationInitiationClientDataWebhook: initiation })
  expect(await settings.get()).toMatchObject({
    webhooks: { postCallWebhookId: 'webhook_1', events: ['transcript', 'audio'] },
    conversationInitiationClientDataWebhook: initiation,
  })
})

test('[X2] a webhook’s secret is returned once and stored for signing', async () => {
  const voice = await startTestVoice()
  const { webhooks } = createVendorClient(voice)
  const settings = { authType: 'hmac', name: 'After calls', webhookUrl: 'http://127.0.0.1:9/hook' } as const
  const { webhookId, webhookSecret } = await webhooks.create({ settings })
  expect(webhookSecret).toMatch(/^wsec_[0-9a-f]{64}$/)
  const store = await openProvider(voice)
  expect(await store.documents.readSecret('webhook', webhookId)).toBe(webhookSecret)
  await store.close()
  await webhooks.update(webhookId, { isDisabled: true, name: 'Off', retryEnabled: true })
  const listed = await webhooks.list()
  expect(listed.webhooks).toMatchObject([{ webhookId, name: 'Off', isDisabled: true, authType: 'hmac' }])
  expect(JSON.stringify(listed)).not.toContain('wsec_')
  expect(await webhooks.delete(webhookId)).toEqual({ status: 'ok' })
  expect(await getVendorError(webhooks.delete(webhookId))).toMatchObject({ statusCode: 404 })
})

test('[X2] an environment variable has a value for each environment', async () => {
  const { environmentVariables } = createVendorClient(await startTestVoice())
  const variable = { type: 'string', label: 'HOST', values: { production: 'a', staging: 'b' } } as const
  const { id } = await environmentVariables.create(variable)
  expect(await getVendorError(environmentVariables.create(variable))).toMatchObject({ statusCode: 409 })
  const changed = await environmentVariables.update(id, { values: { production: 'c' } })
  expect(changed.values).toEqual({ production: 'c', staging: 'b' })
  expect(await environmentVariables.get(id)).toMatchObject({ label: 'HOST', type: 'string' })
  expect((await environmentVariables.list({ label: 'HOST' })).environmentVariables).toHaveLength(1)
})

test('[X2] the vendor’s client reads its account and the voices', async () => {
  const client = createVendorClient(await startTestVoice())
  expect(await client.user.get()).toMatchObject({ userId: 'local', subscription: { tier: 'local' } })
  expect(await client.user.subscription.get()).toMatchObject({ tier: 'local' })
  const ids = (await client.voices.search()).voices.map(({ voiceId }) => voiceId)
  expect(ids).toContain('slt')
  expect((await client.voices.getAll()).voices).toHaveLength(ids.length)
  expect(await client.voices.get('slt')).toMatchObject({ name: 'Slt' })
})

describe('tests of agents', () => {
  test('[X2] the vendor’s client stores tests of all kinds', async () => {
    const { tests } = createVendorClient(await startTestVoice()).conversationalAi
    const chatHistory = [{ role: 'user', message: 'Hello', timeInCallSecs: 0 }] as const
    const response = {
      type: 'llm',
      name: 'Greets',
      chatHistory: [...chatHistory],
      successCondition: 'It greets',
      successExamples: [{ response: 'Hello!', type: 'success' }],
      failureExamples: [{ response: 'Bye', type: 'failure' }],
    } as const
    const { id } = await tests.create({
      ...response,
      chatHistory: [...chatHistory],
      successExamples: [...response.successExamples],
      failureExamples: [...response.failureExamples],
    })
    await tests.create({ type: 'simulation', name: 'Simulates', simulationScenario: 'A caller is lost' })
    await tests.create({
      type: 'tool',
      name: 'Calls',
      chatHistory: [...chatHistory],
      toolCallParameters: {
        referencedTool: { id: 'tool_1', type: 'webhook' },
        parameters: [{ path: 'id', eval: { type: 'exact', expectedValue: '7' } }],
      },
    })
    expect(await tests.get(id)).toMatchObject({
      id,
      name: 'Greets',
      type: 'llm',
      successCondition: 'It greets',
    })
    const listed = await tests.list()
    expect(listed.tests.map(({ type }) => type)).toEqual(['tool', 'simulation', 'llm'])
    expect(await tests.summaries({ testIds: [id, 'test_none'] })).toMatchObject({
      tests: { [id]: { name: 'Greets' } },
    })
    await tests.delete(id)
    expect(await getVendorError(tests.get(id))).toMatchObject({ statusCode: 404 })
  })
})
