import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { ReflectionId, SyncState } from '@parley/contracts'
import { rebuildVoice, type SurfaceSync } from '@parley/reflections'
import { describe, expect, test } from 'vitest'
import { ADA, createFact, ingestSource, useKnowledgeBase } from '../knowledge/testing/knowledge-base.ts'
import { openDatabase } from '../open-database.ts'
import { runSql } from '../server/testing/test-cluster.ts'

const base = await useKnowledgeBase()

const { signal } = new AbortController()
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const newReflection = async (): Promise<ReflectionId> =>
  (await base.database.reflections.create({ displayName: 'Ada Winter', ownerId: ADA })).id

const state: SyncState = {
  agentId: 'agent_1',
  packKind: 'public_standard',
  packContentHash: sha256('pack'),
  dossierHash: sha256('dossier'),
  publishedScopeHash: sha256('scope'),
  syncedAt: '2026-01-01T00:00:00.000Z',
}

describe('syncs', () => {
  test('[P7] a written state is read back, separately for each surface', async () => {
    const { syncs } = base.database
    const id = await newReflection()
    expect(await syncs.read(id)).toEqual({ publishedNamespaces: [], syncs: {} })
    expect(await syncs.write(id, 'public', { agentId: 'agent_1', state, fingerprint: 'f' })).toBe(true)
    expect(await syncs.write(id, 'memory', { agentId: 'agent_2' })).toBe(true)
    expect((await syncs.read(id))?.syncs).toEqual({
      public: { agentId: 'agent_1', state, fingerprint: 'f' },
      memory: { agentId: 'agent_2' },
    })
    await syncs.write(id, 'public', { agentId: 'agent_3' })
    expect((await syncs.read(id))?.syncs.public).toEqual({ agentId: 'agent_3' })
    const column = `select surface, elevenlabs_public_agent_id as id from runtime_syncs
      where reflection_id = '${id}' order by surface`
    expect(await runSql(base.databaseUrl, column)).toEqual([
      { surface: 'memory', id: null },
      { surface: 'public', id: 'agent_3' },
    ])
  })

  test('[P13] values that the provider filled in are kept while the agent is the same', async () => {
    const { syncs } = base.database
    const id = await newReflection()
    const providerDefaults = { 'tts.speed': 1, 'conversation.clientEvents': ['audio'] }
    const writeAndRead = async (sync: SurfaceSync) => {
      await syncs.write(id, 'memory', sync)
      return (await syncs.read(id))?.syncs.memory?.providerDefaults
    }
    expect(await writeAndRead({ agentId: 'agent_1', providerDefaults })).toEqual(providerDefaults)
    expect(await writeAndRead({ agentId: 'agent_1' })).toEqual(providerDefaults)
    expect(await writeAndRead({ agentId: 'agent_2' })).toBeUndefined()
  })

  test('[P6] content revoked while an agent is overwritten must still be removed from it', async () => {
    const { syncs, reflections } = base.database
    const id = await newReflection()
    await reflections.addNamespace(id, 'essays', ADA)
    await syncs.write(id, 'public', { agentId: 'agent_1', state })
    const publish = () => reflections.publish(id, ['essays'], ADA)
    const unpublish = () => reflections.unpublish(id, ['essays'], ADA)
    const isPending = async () =>
      (await syncs.listPendingRevocations()).some(({ reflectionId }) => reflectionId === id)
    await unpublish()
    expect(await isPending()).toBe(false)
    await publish()
    await unpublish()
    const read = (await syncs.read(id))?.syncs.public
    expect(read).toEqual({ agentId: 'agent_1', pendingRevocations: 1 })
    await publish()
    await unpublish()
    await syncs.write(id, 'public', { agentId: 'agent_1', pendingRevocations: 1 })
    expect(await isPending()).toBe(true)
    await syncs.write(id, 'public', { agentId: 'agent_1', pendingRevocations: 1 })
    expect(await isPending()).toBe(false)
  })

  test.each([
    ['has a field too many', { ...state, colour: 'red' }],
    ['lacks one', { ...state, dossierHash: undefined }],
    ['has a hash that is none', { ...state, packContentHash: 'x' }],
    ['is a text', 'fresh'],
  ])('[P7] a state that %s counts as none', async (_, kept) => {
    const id = await newReflection()
    await runSql(
      base.databaseUrl,
      `insert into runtime_syncs (reflection_id, surface, agent_id, state)
        values ('${id}', 'public', 'agent_1', '${JSON.stringify(kept)}')`,
    )
    expect((await base.database.syncs.read(id))?.syncs.public).toEqual({ agentId: 'agent_1' })
  })

  test('[P8] a sync state is read with the live generation and the published namespaces', async () => {
    const id = await newReflection()
    const { reflections, syncs, runtime } = base.database
    await reflections.addNamespace(id, 'essays', ADA)
    await ingestSource(base, id, {
      namespace: 'essays',
      chunks: ['one'],
      facts: [createFact('Ada Winter', 'lives_in', 'Oslo')],
    })
    await reflections.publish(id, ['essays'], ADA)
    await reflections.change(id, { voice: { voiceId: 'voice_1', kind: 'stock' } }, ADA)
    await rebuildVoice(id, base.learning.artifacts, sha256)
    const served = await runtime.readPromoted(id)
    const now = await syncs.read(id)
    expect(now).toMatchObject({
      voiceId: 'voice_1',
      publishedNamespaces: ['essays'],
      promoted: { generation: served?.generation, sync: served?.artifacts.sync_metadata },
    })
    expect(now?.promoted?.sync.public).toMatchObject({
      packKind: 'public_emerging',
      publishedScopeHash: served?.artifacts.reflection_voice_dossier.public.scopeHash,
    })
  })

  test('a removed reflection has no sync, and cannot get one', async () => {
    const id = await newReflection()
    await base.database.reflections.remove(id, ADA)
    expect(await base.database.syncs.read(id)).toBeUndefined()
    expect(await base.database.syncs.write(id, 'public', { agentId: 'agent_1' })).toBe(false)
  })

  test('[V6] the server’s own agents are stored', async () => {
    const { syncs } = base.database
    expect(await syncs.readServerAgent('generic')).toBeUndefined()
    const providerDefaults = { 'tts.speed': 1 }
    await syncs.writeServerAgent('generic', { agentId: 'agent_1', providerDefaults })
    await syncs.writeServerAgent('generic', { agentId: 'agent_1' })
    expect(await syncs.readServerAgent('generic')).toEqual({ agentId: 'agent_1', providerDefaults })
    await syncs.writeServerAgent('generic', { agentId: 'agent_2' })
    expect(await syncs.readServerAgent('generic')).toEqual({ agentId: 'agent_2' })
  })
})

describe('[P8] exclusive work', () => {
  test('runs one at a time for each name over all processes, and does not block other names', async () => {
    const other = await openDatabase(base)
    let inside = 0
    let most = 0
    const work = async () => {
      inside += 1
      most = Math.max(most, inside)
      await runSql(base.databaseUrl, 'select 1')
      inside -= 1
    }
    const stores = [base.database.syncs, other.syncs] as const
    await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        stores[index % 2 === 0 ? 0 : 1].runExclusively('the same', work, signal),
      ),
    )
    expect(most).toBe(1)
    const nested = await base.database.syncs.runExclusively(
      'the same',
      () => other.syncs.runExclusively('another', async () => 'both', signal),
      signal,
    )
    expect(nested).toBe('both')
    await other.close()
  })

  test('throws its error, and the next caller runs', async () => {
    const { syncs } = base.database
    const failing = syncs.runExclusively('failing', () => Promise.reject(new Error('no luck')), signal)
    await expect(failing).rejects.toThrow('no luck')
    expect(await syncs.runExclusively('failing', async () => 'next', signal)).toBe('next')
  })

  test('stops waiting when its caller aborts, while the running work continues', async () => {
    const { syncs } = base.database
    const abort = new AbortController()
    const done = await syncs.runExclusively(
      'called off',
      async () => {
        const waiting = syncs.runExclusively('called off', async () => 'never', abort.signal)
        abort.abort()
        await expect(waiting).rejects.toMatchObject({ code: 'cancelled' })
        return 'done'
      },
      signal,
    )
    expect(done).toBe('done')
  })

  test('is aborted when its lock is lost', async () => {
    const lost = base.database.syncs.runExclusively(
      'lost',
      async (alone) => {
        const told = once(alone, 'abort')
        await runSql(
          base.databaseUrl,
          `select pg_terminate_backend(pid) from pg_locks
            where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())
              and pid <> pg_backend_pid() and ((classid::bigint << 32) | objid::bigint) = hashtextextended('alone: lost', 0)`,
        )
        await told
        return alone.aborted
      },
      signal,
    )
    expect(await lost).toBe(true)
  })

  test('starts once a process that held the lock was killed', async () => {
    const holder = fileURLToPath(new URL('./lock-holder.fixture.ts', import.meta.url))
    const child = spawn(process.execPath, [holder, base.databaseUrl], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    const next = base.database.syncs.runExclusively('held by another', async () => 'let in', signal)
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(await next).toBe('let in')
  })
})
