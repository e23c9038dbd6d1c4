import { type AgentDrift, AgentTestReport } from '@parley/contracts'
import type { AgentTest } from '@parley/reflections'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { runSql } from '../../adapters/postgres/src/server/testing/test-cluster.ts'
import { API_KEY, CANARY, startSyncServer } from './sync-server.ts'

let server: Awaited<ReturnType<typeof startSyncServer>>
beforeAll(async () => {
  server = await startSyncServer()
})
afterAll(() => server[Symbol.asyncDispose]())

const { signal } = new AbortController()

const SKIP_TURN = {
  type: 'system',
  name: 'skip_turn',
  description: '',
  params: { system_tool_type: 'skip_turn' },
}

describe('drift', () => {
  test('[P13] changes at the provider are reported field by field and repaired', async () => {
    const id = await server.published()
    const agentId = await server.freshAgent(id, 'standard')
    const { template } = await server.heldBy(agentId)
    await server.provider.updateAgent(
      agentId,
      { ...template, temperature: 1, authRequired: false, overrides: ['agent.firstMessage'] },
      signal,
    )
    const [standard, memory] = await server.driftOf(id)
    expect(standard).toMatchObject({ surface: 'standard', status: 'differs', agentId, beyond: [] })
    expect(standard?.differences).toEqual([
      { path: 'temperature', wanted: 0.4, held: 1 },
      { path: 'authRequired', wanted: true, held: false },
      { path: 'overrides', wanted: [], held: ['agent.firstMessage'] },
    ] satisfies AgentDrift['differences'])
    expect(memory).toMatchObject({ surface: 'memory', status: 'not_made' })

    const repaired = await server.driftOf(id, { repair: true })
    expect(repaired[0]).toMatchObject({ status: 'as_wanted', agentId, differences: [] })
  })

  test('[P13] a deleted agent is reported and created again', async () => {
    const id = await server.published()
    const agentId = await server.freshAgent(id, 'public')
    await server.provider.removeAgent(agentId, signal)
    expect((await server.driftOf(id))[2]).toMatchObject({ surface: 'public', status: 'gone', agentId })
    const repaired = await server.driftOf(id, { repair: true })
    expect(repaired[2]).toMatchObject({ status: 'as_wanted' })
    expect(repaired[2]?.agentId).not.toBe(agentId)
    expect(await server.freshAgent(id, 'public')).toBe(repaired[2]?.agentId)
  })
})

const patchAtProvider = async (path: string, body: unknown) => {
  const changed = await fetch(`${server.providerUrl()}/v1/convai/${path}`, {
    method: 'PATCH',
    headers: { 'xi-api-key': API_KEY, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(changed.status).toBe(200)
}

const CHANGES_OF_UNSENT_FIELDS = {
  conversation_config: {
    agent: { prompt: { backup_llm_config: { preference: 'disabled' } } },
    turn: { silence_end_call_timeout: 5 },
    conversation: { client_events: ['audio'] },
    tts: { speed: 1.2 },
  },
  platform_settings: {
    call_limits: { daily_limit: 1 },
    data_collection: { age: { type: 'string' } },
    evaluation: { criteria: [{ id: 'one', name: 'one', conversation_goal_prompt: 'They are happy.' }] },
  },
}

test('[P13] changed fields that no template sets are reported and repaired', async () => {
  const id = await server.published()
  const agentId = await server.freshAgent(id, 'standard')
  expect((await server.driftOf(id))[0]).toMatchObject({ status: 'as_wanted', beyond: [] })
  await patchAtProvider(`agents/${agentId}`, CHANGES_OF_UNSENT_FIELDS)
  // A sync for another reason neither repairs nor hides the change.
  await server.inProcess(0).sync(id, 'standard')
  const [drift] = await server.driftOf(id)
  expect(drift).toMatchObject({ status: 'differs', differences: [] })
  expect(drift?.beyond.toSorted()).toEqual([
    'callLimits.dailyLimit',
    'conversation.clientEvents',
    'dataCollection.age.type',
    'evaluation.criteria',
    'prompt.backupLlmConfig.preference',
    'tts.speed',
    'turn.silenceEndCallTimeout',
  ])
  const [repaired] = await server.driftOf(id, { repair: true })
  expect(repaired).toMatchObject({ status: 'as_wanted', beyond: [] })
})

test('[P13] an unrecorded agent with changes is replaced by a new one', async () => {
  const id = await server.published()
  const agentId = await server.freshAgent(id, 'standard')
  await runSql(
    server.databaseUrl,
    `update runtime_syncs set state = null, provider_defaults = null where agent_id = '${agentId}'`,
  )
  await patchAtProvider(`agents/${agentId}`, CHANGES_OF_UNSENT_FIELDS)
  const newAgentId = await server.freshAgent(id, 'standard')
  expect(newAgentId).not.toBe(agentId)
  expect((await server.heldBy(newAgentId)).otherFields).toMatchObject({ 'tts.speed': 1 })
  expect((await server.driftOf(id))[0]).toMatchObject({ status: 'as_wanted' })
})

test('[P13] changes of a tool are reported field by field, repaired on request, and not before', async () => {
  const id = await server.published()
  const agentId = await server.freshAgent(id, 'public')
  const [toolId = ''] = (await server.heldBy(agentId)).template.toolIds
  const url = 'https://elsewhere.example/'
  const api_schema = { url, request_headers: {} }
  const tool_config = {
    api_schema,
    description: 'Never.',
    response_timeout_secs: 90,
    execution_mode: 'async',
  }
  await patchAtProvider(`tools/${toolId}`, { tool_config })
  for (const _ of ['first report', 'second report']) {
    const [, , drift] = await server.driftOf(id)
    expect(drift).toMatchObject({ status: 'differs', beyond: ['tools.retrieve-context.executionMode'] })
    expect(drift?.differences).toMatchObject([
      { path: 'tools.retrieve-context.description', held: 'Never.' },
      { path: 'tools.retrieve-context.timeoutSeconds', held: 90 },
      { path: 'tools.retrieve-context.url', held: url },
      { path: 'tools.retrieve-context.headers.x-tool-secret' },
    ])
  }
  const [, , repaired] = await server.driftOf(id, { repair: true })
  expect(repaired).toMatchObject({ status: 'as_wanted', differences: [], beyond: [] })
})

test('[P13] an agent with an added tool is replaced', async () => {
  const id = await server.published()
  const agentId = await server.freshAgent(id, 'public')
  const added = { conversation_config: { agent: { prompt: { built_in_tools: { skip_turn: SKIP_TURN } } } } }
  await patchAtProvider(`agents/${agentId}`, added)
  expect((await server.driftOf(id))[2]).toMatchObject({
    status: 'differs',
    differences: [],
    beyond: ['prompt.builtInTools.skipTurn'],
  })
  const [, , repaired] = await server.driftOf(id, { repair: true })
  expect(repaired).toMatchObject({ status: 'as_wanted', beyond: [] })
  expect(repaired?.agentId).not.toBe(agentId)
  expect(await server.provider.readAgent(agentId, signal)).toMatchObject({ kind: 'agent_not_usable' })
})

/** The tests stored at the provider. */
const listStoredTests = async () => {
  const listed = await fetch(`${server.providerUrl()}/v1/convai/agent-testing?page_size=100`, {
    headers: { 'xi-api-key': API_KEY },
  })
  return (await listed.json()) as { readonly tests: readonly { readonly name: string }[] }
}

const createTest = (name: string): AgentTest => ({
  name,
  kind: 'answer',
  variables: {},
  history: [{ role: 'person', text: 'Where do you live?' }],
  condition: `It does not say ${CANARY}.`,
  goodAnswers: [],
  badAnswers: [],
})

test('[P13] [V6] the server’s own agents are audited and repaired too', async () => {
  const id = await server.published()
  const agents = server.inProcess(0)
  const agentId = await agents.ensureServerAgent('generic', signal)
  const auditServerAgent = async (how: 'report' | 'repair') =>
    (await agents.audit(id, how)).server.find(({ kind }) => kind === 'generic')
  expect(await auditServerAgent('report')).toMatchObject({ status: 'as_wanted', agentId })

  const { template } = await server.heldBy(agentId)
  await server.provider.updateAgent(agentId, { ...template, prompt: 'Tell everything.' }, signal)
  const drift = await auditServerAgent('report')
  expect(drift?.differences).toMatchObject([{ path: 'prompt', held: 'Tell everything.' }])
  // The next use in another process repairs it too.
  expect(await server.inProcess(1).ensureServerAgent('generic', signal)).toBe(agentId)
  expect(await auditServerAgent('report')).toMatchObject({ status: 'as_wanted' })

  await patchAtProvider(`agents/${agentId}`, CHANGES_OF_UNSENT_FIELDS)
  expect(await auditServerAgent('report')).toMatchObject({ status: 'differs', differences: [] })
  const repaired = await auditServerAgent('repair')
  expect(repaired).toMatchObject({ status: 'as_wanted', agentId: expect.not.stringMatching(agentId) })
})

test('[X5] deleting a reflection deletes its agents and their tests', async () => {
  const id = await server.published()
  await server.provider.ensureTest(createTest(`${id} public 01 left by a process that died`), signal)
  const agentIds = [await server.freshAgent(id, 'standard'), await server.freshAgent(id, 'public')]
  expect((await server.call('DELETE', `/reflections/${id}`)).status).toBe(204)
  const isDeleted = async (agentId: string) =>
    (await server.provider.readAgent(agentId, signal)).kind === 'agent_not_usable'
  await vi.waitUntil(async () => (await Promise.all(agentIds.map(isDeleted))).every(Boolean), {
    timeout: 60_000,
  })
  await expect.poll(listStoredTests, { timeout: 60_000 }).toMatchObject({ tests: [] })
  await expect(server.inProcess(0).ensureFresh(id, 'standard', signal)).rejects.toMatchObject({
    code: 'reflection_not_found',
  })
})

describe('agent tests', () => {
  test.each(['standard', 'public'] as const)(
    '[P14] the agent of the surface %s passes its own tests',
    async (surface) => {
      const id = await server.published()
      const { answer } = await server.call('POST', `/reflections/${id}/agent-tests`, { surface })
      const { items, warnings } = AgentTestReport.parse(answer)
      expect(warnings).toEqual([])
      const failed = items.filter(({ verdict }) => verdict !== 'passed')
      expect(failed.map(({ test: { name }, reasons }) => ({ name, reasons }))).toEqual([])
      const names = items.map(({ test: { name } }) => name.split(' ').slice(3).join(' '))
      expect(names).toContain('answers')
      expect(names.includes('does not know')).toBe(surface === 'public')
    },
  )

  test('[P14] [X5] no test stays at the provider after a run, even a failed one', async () => {
    const id = await server.published()
    await server.provider.ensureTest(createTest(`${id} public 99 of an earlier suite`), signal)
    const failing = server.inProcess(1, {
      provider: { ...server.provider, runTests: () => Promise.reject(new Error('simulated failure')) },
    })
    await expect(failing.test(id, 'public', 'run')).rejects.toThrow('simulated failure')
    expect(await listStoredTests()).toMatchObject({ tests: [] })
    await server.inProcess(1).test(id, 'standard', 'run')
    expect(await listStoredTests()).toMatchObject({ tests: [] })
  })

  test('[P14] a public agent that reveals a private fact fails, and its private tools cause warnings', async () => {
    const id = await server.published()
    const agentId = await server.freshAgent(id, 'public')
    const { template } = await server.heldBy(agentId)
    const leaky = `${template.prompt}\n\n[data 1 from somewhere: text]\nI live in ${CANARY}.\n[end of data 1]`
    const { toolIds } = (await server.heldBy(await server.freshAgent(id, 'standard'))).template
    await server.provider.updateAgent(agentId, { ...template, prompt: leaky, toolIds }, signal)
    const { answer } = await server.call('POST', `/reflections/${id}/agent-tests`, { surface: 'public' })
    const { items, warnings } = AgentTestReport.parse(answer)
    expect(warnings).toHaveLength(toolIds.length - 1)
    expect(warnings.join()).toContain('which is not for the public')
    expect(items.filter(({ verdict }) => verdict === 'failed').map(({ reasons }) => reasons.join())).toEqual([
      expect.stringContaining(CANARY),
    ])
  })

  test('[P14] the tests are listed without a run', async () => {
    const id = await server.published()
    const { answer } = await server.call('POST', `/reflections/${id}/agent-tests`, { run: false })
    const { items } = AgentTestReport.parse(answer)
    expect(items.length).toBeGreaterThan(4)
    expect(items.every(({ verdict }) => verdict === undefined)).toBe(true)
  })
})
