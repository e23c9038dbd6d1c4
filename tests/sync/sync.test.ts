import { Surface, SyncStatus } from '@parley/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CANARY, PUBLISHED, startSyncServer } from './sync-server.ts'

let server: Awaited<ReturnType<typeof startSyncServer>>
beforeAll(async () => {
  server = await startSyncServer()
})
afterAll(() => server[Symbol.asyncDispose]())

const { signal } = new AbortController()

describe('sync', () => {
  test('[P13] synced agents of every surface read back without differences', async () => {
    const id = await server.published()
    const { answer } = await server.call('POST', `/reflections/${id}/sync`, {})
    expect(SyncStatus.parse(answer).items.map(({ surface, status }) => [surface, status])).toEqual(
      Surface.options.map((surface) => [surface, 'fresh']),
    )
    expect((await server.driftOf(id)).map(({ status }) => status)).toEqual(
      Surface.options.map(() => 'as_wanted'),
    )
  })

  test('[V14] the agent has the required settings, and a placeholder for every variable in its prompt', async () => {
    const id = await server.published()
    const { template } = await server.heldBy(await server.freshAgent(id, 'standard'))
    expect(template).toMatchObject({
      model: 'claude-sonnet-4-6',
      temperature: 0.4,
      maxOutputTokens: 500,
      parallelToolCalls: false,
      authRequired: true,
      overrides: [],
      endCall: { guidance: expect.stringContaining('Wrap up') },
    })
    expect(template.toolIds).toHaveLength(3)
    const named = [...template.prompt.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name)
    expect(named).not.toEqual([])
    expect(Object.keys(template.placeholders)).toEqual(expect.arrayContaining(named))
  })

  test('[P5] the public agent contains nothing private and has only the search tool', async () => {
    const id = await server.published()
    const written = await server.writtenSince(() => server.freshAgent(id, 'public'))
    expect(JSON.stringify(written)).toContain('green tea')
    expect(JSON.stringify(written)).not.toMatch(/Zanzibarino|Quokkanuts|diary/)
    const { template } = await server.heldBy(await server.freshAgent(id, 'public'))
    expect(template.toolIds).toHaveLength(1)
    // The same search finds the canary in a private agent.
    expect(JSON.stringify(await server.writtenSince(() => server.freshAgent(id, 'standard')))).toContain(
      CANARY,
    )
  })

  test('[P8] fifty parallel requests in two processes share one sync', async () => {
    const id = await server.published()
    const processes = [server.inProcess(0), server.inProcess(1)] as const
    const written = await server.writtenSince(async () => {
      const found = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          processes[index % 2 === 0 ? 0 : 1].ensureFresh(id, 'public', signal),
        ),
      )
      expect(new Set(found.map((result) => JSON.stringify(result))).size).toBe(1)
      expect(found[0]).toMatchObject({ kind: 'fresh', packKind: 'public_emerging' })
    })
    expect(written.map(({ operation }) => operation)).toEqual(['createAgent'])
  })

  test('[P8] a current agent is not synced again', async () => {
    const id = await server.published()
    await server.freshAgent(id, 'memory')
    expect(await server.writtenSince(() => server.freshAgent(id, 'memory'))).toEqual([])
  })

  test('[P8] a cancelled request leaves the shared sync running for the others', async () => {
    const id = await server.published()
    const agents = server.inProcess(0)
    const abort = new AbortController()
    const left = agents.ensureFresh(id, 'standard', abort.signal)
    const stayed = agents.ensureFresh(id, 'standard', signal)
    abort.abort()
    await expect(left).rejects.toMatchObject({ code: 'cancelled' })
    expect(await stayed).toMatchObject({ kind: 'fresh' })
  })

  test('[P7] a changed voice or server address is synced', async () => {
    const id = await server.published()
    const agentId = await server.freshAgent(id, 'standard')
    await server.call('PATCH', `/reflections/${id}`, {
      voice: { voiceId: 'EXAVITQu4vr4xnSDxMaL', kind: 'stock' },
    })
    const [standard] = await server.statusOf(id)
    expect(standard).toMatchObject({ status: 'stale', differs: ['the voice or the tools'] })
    expect(standard?.synced).toMatchObject({ packContentHash: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect(standard?.synced).toEqual(standard?.wanted)
    expect(await server.freshAgent(id, 'standard')).toBe(agentId)
    const before = await server.heldBy(agentId)
    expect(before.template.voiceId).toBe('EXAVITQu4vr4xnSDxMaL')

    const elsewhere = server.inProcess(1, {
      publicUrl: 'http://127.0.0.1:9/elsewhere',
    })
    await elsewhere.ensureFresh(id, 'standard', signal)
    const { template } = await server.heldBy(agentId)
    expect(template.toolIds).not.toEqual(before.template.toolIds)
  })

  test('[P8] a deleted agent is created again by a sync, and an unrecorded one is replaced', async () => {
    const id = await server.published()
    const agentId = await server.freshAgent(id, 'standard')
    await server.provider.removeAgent(agentId, signal)
    const { answer } = await server.call('POST', `/reflections/${id}/sync`, { surface: 'standard' })
    const again = SyncStatus.parse(answer).items[0]
    expect(again).toMatchObject({ status: 'fresh', agentId: expect.not.stringMatching(agentId) })

    const { template } = await server.heldBy(again?.agentId ?? '')
    const left = { ...template, name: template.name.replace('standard', 'memory') }
    const leftId = await server.provider.createAgent(left, signal)
    expect(await server.freshAgent(id, 'memory')).not.toBe(leftId)
    expect(await server.provider.readAgent(leftId, signal)).toMatchObject({ kind: 'agent_not_usable' })
  })

  test('[P8] a deleted tool is created again', async () => {
    const id = await server.published()
    const agents = server.inProcess(0)
    const standard = await agents.ensureFresh(id, 'standard', signal)
    if (standard.kind !== 'fresh') throw new Error('not fresh')
    const { template } = await server.heldBy(standard.agentId)
    await server.provider.updateAgent(standard.agentId, { ...template, toolIds: [] }, signal)
    for (const other of await server.provider.listAgents(signal)) {
      if (other.agentId !== standard.agentId) await server.provider.removeAgent(other.agentId, signal)
    }
    for (const toolId of template.toolIds) await server.provider.removeTool(toolId, signal)
    expect(await agents.ensureFresh(id, 'memory', signal)).toMatchObject({ kind: 'fresh' })
  })
})

describe('[P8] a session is refused', () => {
  test('if nothing is published', async () => {
    const id = await server.reflection({ essays: PUBLISHED })
    const agents = server.inProcess(0)
    expect(await agents.ensureFresh(id, 'public', signal)).toEqual({
      kind: 'not-ready',
      missing: 'nothing is published',
    })
    const { problem } = await server.call('POST', `/reflections/${id}/agent-tests`, { surface: 'public' })
    expect(problem).toMatchObject({ code: 'public_runtime_not_ready', missing: ['nothing is published'] })
  })

  test('if the artifacts were built from another scope, and the public agent gets none of them', async () => {
    const id = await server.published()
    const agentId = await server.freshAgent(id, 'public')
    await server.publish(id, 'diary')
    const written = await server.writtenSince(async () => {
      expect(await server.inProcess(0).ensureFresh(id, 'public', signal)).toMatchObject({ kind: 'stale' })
    })
    expect(written).toEqual([])
    await server.rebuild(id)
    expect(await server.freshAgent(id, 'public')).toBe(agentId)
    expect((await server.heldBy(agentId)).template.prompt).toContain(CANARY)

    await server.unpublish(id, 'diary')
    expect(await server.inProcess(0).ensureFresh(id, 'public', signal)).toMatchObject({ kind: 'stale' })
    await server.rebuild(id)
    await server.freshAgent(id, 'public')
    expect((await server.heldBy(agentId)).template.prompt).not.toContain(CANARY)
  })

  test('while the provider does not answer, and then started', async () => {
    const id = await server.published()
    const agents = server.inProcess(0)
    await server.stopProvider()
    try {
      expect(await agents.ensureFresh(id, 'public', signal)).toEqual({
        kind: 'not-ready',
        missing: 'the agent was never synced',
      })
      const { status, problem } = await server.call('POST', `/reflections/${id}/sync`, {})
      expect([status, problem?.code]).toEqual([503, 'provider_unavailable'])
    } finally {
      await server.startProviderAgain()
    }
    expect(await agents.ensureFresh(id, 'public', signal)).toMatchObject({ kind: 'fresh' })
  })

  test('after a sync that failed midway, until the next sync', async () => {
    const id = await server.published()
    const agentId = await server.freshAgent(id, 'standard')
    const failing = server.inProcess(1, {
      provider: {
        ...server.provider,
        updateAgent: async (...args: Parameters<typeof server.provider.updateAgent>) => {
          await server.provider.updateAgent(...args)
          throw new Error('simulated crash')
        },
      },
    })
    await expect(failing.sync(id, 'standard')).rejects.toThrow('simulated crash')
    expect((await server.statusOf(id))[0]).toMatchObject({
      status: 'stale',
      agentId,
      differs: ['everything, since the agent was marked stale'],
    })
    expect(await server.freshAgent(id, 'standard')).toBe(agentId)
  })
})

test('[P11] during parallel publishing and rebuilding no session starts with artifacts of another scope', async () => {
  const id = await server.published()
  await server.freshAgent(id, 'public')
  // The expected result of a start; undefined during a change.
  let expected: { readonly isAllowed: boolean; readonly saysCanary: boolean } | undefined
  const change = async (work: () => Promise<unknown>, next: NonNullable<typeof expected>) => {
    expected = undefined
    await work()
    expected = next
  }
  const over = new AbortController()
  const start = async (agents: ReturnType<typeof server.inProcess>) => {
    const before = expected
    const found = await agents.ensureFresh(id, 'public', signal)
    const prompt = found.kind === 'fresh' ? (await server.heldBy(found.agentId)).template.prompt : ''
    if (before === undefined || before !== expected) return
    expect(found.kind === 'fresh').toBe(before.isAllowed)
    expect(prompt.includes(CANARY)).toBe(before.saysCanary)
  }
  const startRepeatedly = async (agents: ReturnType<typeof server.inProcess>) => {
    while (!over.signal.aborted) await start(agents)
  }
  const changePublication = async () => {
    for (let round = 0; round < 5; round += 1) {
      await change(() => server.publish(id, 'diary'), { isAllowed: false, saysCanary: false })
      await start(server.inProcess(1))
      await change(() => server.rebuild(id), { isAllowed: true, saysCanary: true })
      await start(server.inProcess(1))
      await change(() => server.unpublish(id, 'diary'), { isAllowed: false, saysCanary: false })
      await start(server.inProcess(1))
      await change(() => server.rebuild(id), { isAllowed: true, saysCanary: false })
      if (round % 2 === 0) await start(server.inProcess(1))
    }
  }
  const racing = [startRepeatedly(server.inProcess(0)), startRepeatedly(server.inProcess(0))]
  await changePublication().finally(() => over.abort())
  await Promise.all(racing)
  const agents = await server.provider.listAgents(signal)
  expect(agents.filter(({ name }) => name.includes(`${id} public`))).toHaveLength(1)
})

test('[V6] the server’s own agents are created once and shared by all processes', async () => {
  const written = await server.writtenSince(async () => {
    const made = await Promise.all([
      server.inProcess(0).ensureServerAgent('interviewer', signal),
      server.inProcess(1).ensureServerAgent('interviewer', signal),
      server.inProcess(0).ensureServerAgent('interviewer', signal),
    ])
    expect(new Set(made).size).toBe(1)
    const generic = await server.inProcess(0).ensureServerAgent('generic', signal)
    expect((await server.heldBy(generic)).template.prompt).toContain('{{reflection_persona_narrative}}')
    await server.provider.removeAgent(generic, signal)
    expect(await server.inProcess(1).ensureServerAgent('generic', signal)).not.toBe(generic)
  })
  expect(written.filter(({ operation }) => operation === 'createAgent')).toHaveLength(3)
})

test('[V6] [P8] a deleted agent is created again as soon as a caller reports it missing', async () => {
  const id = await server.published()
  const agents = server.inProcess(0)
  const gone = await server.freshAgent(id, 'public')
  await server.provider.removeAgent(gone, signal)
  await agents.forget(id, 'public', 'agent_earlier')
  expect(await agents.ensureFresh(id, 'public', signal)).toMatchObject({ agentId: gone })
  await agents.forget(id, 'public', gone)
  const recreated = await agents.ensureFresh(id, 'public', signal)
  expect(recreated).toMatchObject({ kind: 'fresh', agentId: expect.not.stringMatching(gone) })

  const generic = await agents.ensureServerAgent('generic', signal)
  await server.provider.removeAgent(generic, signal)
  await agents.forgetServerAgent('generic', 'agent_earlier')
  expect(await agents.ensureServerAgent('generic', signal)).toBe(generic)
  await agents.forgetServerAgent('generic', generic)
  expect(await agents.ensureServerAgent('generic', signal)).not.toBe(generic)
})
