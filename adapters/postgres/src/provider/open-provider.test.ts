import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toRoleUrl } from '../login/database-url.ts'
import { runSql } from '../server/testing/test-cluster.ts'
import { type FreshDatabase, freshDatabase } from '../testing/index.ts'
import { openProvider } from './open-provider.ts'
import type { ConversationState, ProviderStore } from './provider-store.ts'

let fresh: FreshDatabase
let store: ProviderStore

beforeAll(async () => {
  fresh = await freshDatabase()
  store = await openProvider(fresh)
})

afterAll(async () => {
  await store.close()
  await fresh.drop()
})

let count = 0
const freshId = (prefix: string) => `${prefix}_${(count += 1)}`

describe('documents', () => {
  test('[X2] a document is read back unchanged, with its keys in order', async () => {
    const id = freshId('agent')
    const body = { zeta: 1, alpha: { text: 'Ä "quoted" 🎈', list: [1.5, null, true] } }
    const put = await store.documents.put('agent', { id, body })
    expect(await store.documents.get('agent', id)).toEqual(put)
    expect(JSON.stringify(put.body)).toBe(JSON.stringify(body))
    expect(await store.documents.get('tool', id)).toBeUndefined()
  })

  test('[X2] concurrent changes are all applied', async () => {
    const id = freshId('agent')
    await store.documents.put('agent', { id, body: { count: 0 } })
    const add = () => store.documents.change('agent', id, (body) => ({ count: Number(body['count']) + 1 }))
    await Promise.all(Array.from({ length: 20 }, add))
    expect((await store.documents.get('agent', id))?.body).toEqual({ count: 20 })
    expect(await store.documents.change('agent', 'agent_none', (body) => body)).toBeUndefined()
  })

  test.each([
    ['created_at', 'desc', ['Gamma', 'alpha', 'Beta']],
    ['created_at', 'asc', ['Beta', 'alpha', 'Gamma']],
    ['name', 'asc', ['Beta', 'Gamma', 'alpha']],
    ['name', 'desc', ['alpha', 'Gamma', 'Beta']],
  ] as const)('[X2] pages by %s %s have each document once', async (sortBy, direction, expected) => {
    const kind = `listed_${sortBy}_${direction}`
    for (const name of ['Beta', 'alpha', 'Gamma']) {
      await store.documents.put(kind, { id: freshId('agent'), body: { name } })
    }
    const names: unknown[] = []
    let cursor: string | undefined
    do {
      const page = await store.documents.list(kind, {
        limit: 1,
        sortBy,
        direction,
        ...(cursor !== undefined && { cursor }),
      })
      names.push(...page.items.map(({ body }) => body['name']))
      cursor = page.nextCursor
    } while (cursor !== undefined)
    expect(names).toEqual(expected)
  })

  test('[X2] lists are searched by name and by values in the body', async () => {
    await store.documents.put('sought', { id: 'a', body: { name: 'Front desk', tags: ['x', 'y'] } })
    await store.documents.put('sought', { id: 'b', body: { name: 'Back office', tags: ['y'] } })
    const found = async (page: object) =>
      (await store.documents.list('sought', { limit: 9, ...page })).items.map(({ id }) => id)
    expect(await found({ search: 'DESK' })).toEqual(['a'])
    expect(await found({ contains: { tags: ['x'] } })).toEqual(['a'])
    expect(await found({ contains: { tags: ['y'] } })).toEqual(['b', 'a'])
  })

  test('an invalid cursor is refused', async () => {
    await expect(store.documents.list('agent', { limit: 1, cursor: 'nonsense' })).rejects.toMatchObject({
      code: 'validation',
    })
  })

  test('[X2] children of a document are removed with it', async () => {
    await store.documents.put('agent', { id: 'agent_whole', body: {} })
    await store.documents.put('version', { id: 'v1', parentId: 'agent_whole', body: {} })
    expect(await store.documents.remove('agent', 'agent_whole')).toBe(true)
    expect(await store.documents.get('version', 'v1')).toBeUndefined()
    expect(await store.documents.remove('agent', 'agent_whole')).toBe(false)
  })

  test('[X2] a secret is stored encrypted and opens only in its own document', async () => {
    const secret = 'made-up-secret-value'
    await store.documents.put('secret', { id: 's1', body: { name: 'KEY' }, secret })
    await store.documents.put('secret', { id: 's2', body: { name: 'OTHER' }, secret: 'another-made-up' })
    await store.documents.put('secret', { id: 's1', body: { name: 'RENAMED' } })
    expect(await store.documents.readSecret('secret', 's1')).toBe(secret)
    const [row] = await runSql(
      fresh.databaseUrl,
      `select position('${secret}'::bytea in sealed) as at from provider.documents where id = 's1'`,
    )
    expect(row).toEqual({ at: 0 })
    await runSql(
      fresh.databaseUrl,
      `update provider.documents set sealed = (select sealed from provider.documents where id = 's1') where id = 's2'`,
    )
    expect(await store.documents.readSecret('secret', 's2')).toBeUndefined()
  })
})

const createConversation = (over: Partial<ConversationState> = {}): ConversationState => ({
  id: freshId('conv'),
  agentId: 'agent_1',
  status: 'in-progress',
  body: { transcript: [] },
  ...over,
})

describe('conversations', () => {
  test('[X2] a conversation’s end is stored with its audio and its deliveries', async () => {
    const state = createConversation()
    await store.conversations.open(state)
    await store.conversations.finish(
      { ...state, status: 'done' },
      { audio: Uint8Array.of(1, 2, 3), deliveries: [{ webhookId: 'hook_1', body: '{"type":"x"}' }] },
    )
    expect(await store.conversations.get(state.id)).toMatchObject({ status: 'done' })
    expect([...((await store.conversations.readAudio(state.id)) ?? [])]).toEqual([1, 2, 3])
    const claimed = await store.deliveries.claim(10, 60_000)
    expect(claimed).toMatchObject([
      { webhookId: 'hook_1', conversationId: state.id, body: '{"type":"x"}', attempt: 1 },
    ])
    expect(await store.deliveries.claim(10, 60_000)).toEqual([])
    for (const { id } of claimed) await store.deliveries.remove(id)
  })

  test('[X2] a removed conversation is not written again', async () => {
    const state = createConversation()
    await store.conversations.open(state)
    expect(await store.conversations.remove(state.id)).toBe(true)
    await store.conversations.save(state)
    await store.conversations.finish(state, { deliveries: [{ webhookId: 'hook_1', body: '{}' }] })
    expect(await store.conversations.get(state.id)).toBeUndefined()
    expect(await store.deliveries.claim(10, 60_000)).toEqual([])
  })

  test('[X2] a person’s rating survives later saves', async () => {
    const state = createConversation()
    await store.conversations.open(state)
    expect(await store.conversations.rate(state.id, { feedback: 'like' })).toBe(true)
    await store.conversations.save(state)
    expect(await store.conversations.get(state.id)).toMatchObject({ feedback: { feedback: 'like' } })
    expect(await store.conversations.rate('conv_none', {})).toBe(false)
  })

  test('[X2] lists are filtered and paged, latest first', async () => {
    const ids: string[] = []
    for (const userId of ['ada', 'eve', 'ada']) {
      const state = createConversation({ agentId: 'agent_listed', userId })
      await store.conversations.open(state)
      ids.unshift(state.id)
    }
    const first = await store.conversations.list({ limit: 2, agentId: 'agent_listed' })
    expect(first.items.map(({ id }) => id)).toEqual(ids.slice(0, 2))
    const cursor = first.nextCursor ?? ''
    const second = await store.conversations.list({ limit: 2, cursor, agentId: 'agent_listed' })
    expect(second.items.map(({ id }) => id)).toEqual(ids.slice(2))
    expect(second.nextCursor).toBeUndefined()
    const ofAda = await store.conversations.list({ limit: 9, agentId: 'agent_listed', userId: 'ada' })
    expect(ofAda.items).toHaveLength(2)
    const long = new Date(0)
    expect((await store.conversations.list({ limit: 9, startedBefore: long })).items).toEqual([])
  })

  test('[X4] conversations of a dead process fail; those of a living one do not', async () => {
    const other = await openProvider(fresh)
    const theirs = createConversation()
    const ours = createConversation()
    await other.conversations.open(theirs)
    await store.conversations.open(ours)
    const failed = () => store.conversations.failDead(async (body) => ({ body: { ...body, failed: true } }))
    expect(await failed()).toEqual([])
    await other.close()
    expect(await failed()).toEqual([theirs.id])
    expect(await store.conversations.get(theirs.id)).toMatchObject({
      status: 'failed',
      body: { failed: true },
    })
    expect(await store.conversations.get(ours.id)).toMatchObject({ status: 'in-progress' })
    expect(await failed()).toEqual([])
  })

  test('[X4] after a lost connection the process takes its lock again', async () => {
    const lost: unknown[] = []
    const blinking = await openProvider({ ...fresh, onError: (error) => lost.push(error) })
    const state = createConversation()
    await blinking.conversations.open(state)
    const holderOf = `select pid from pg_locks where locktype = 'advisory' and granted and objid::bigint =
      (select holder & 4294967295 from provider.conversations where id = '${state.id}')`
    const [before] = await runSql(fresh.databaseUrl, holderOf)
    await runSql(fresh.databaseUrl, `select pg_terminate_backend(${String(before?.['pid'])})`)
    await expect
      .poll(async () => (await runSql(fresh.databaseUrl, holderOf))[0]?.['pid'] ?? before?.['pid'], {
        timeout: 20_000,
      })
      .not.toBe(before?.['pid'])
    expect(lost.length).toBeGreaterThan(0)
    expect(await store.conversations.failDead(async (body) => ({ body }))).toEqual([])
    await blinking.close()
  })
})

const toExpiry = () => new Date(Date.now() + 60_000)

describe('signed URLs', () => {
  test('[X2] a URL for one conversation works once, also under concurrent use', async () => {
    const url = { agentId: 'agent_1', conversationId: 'conv_9', body: { environment: 'staging' } }
    await store.signedUrls.create('made-up-1', url, toExpiry())
    const uses = await Promise.all(Array.from({ length: 8 }, () => store.signedUrls.use('made-up-1')))
    expect(uses.filter(Boolean)).toEqual([url])
  })

  test('[X2] any other URL works until it expires', async () => {
    const url = { agentId: 'agent_1', body: {} }
    await store.signedUrls.create('made-up-2', url, toExpiry())
    await store.signedUrls.create('made-up-3', url, new Date(Date.now() - 1))
    expect(await store.signedUrls.use('made-up-2')).toEqual(url)
    expect(await store.signedUrls.use('made-up-2')).toEqual(url)
    expect(await store.signedUrls.use('made-up-3')).toBeUndefined()
    expect(await store.signedUrls.use('made-up-4')).toBeUndefined()
  })

  test('[X2] the signature itself is not stored', async () => {
    await store.signedUrls.create('made-up-5', { agentId: 'agent_1', body: {} }, toExpiry())
    const rows = await runSql(fresh.databaseUrl, `select u::text as row from provider.signed_urls u`)
    expect(JSON.stringify(rows)).not.toContain('made-up')
    expect(JSON.stringify(rows)).not.toContain(Buffer.from('made-up').toString('hex'))
  })
})

describe('deliveries', () => {
  test('[X4] concurrent claims never get the same delivery; a postponed one comes again', async () => {
    const state = createConversation()
    await store.conversations.open(state)
    const deliveries = Array.from({ length: 10 }, (_, at) => ({ webhookId: 'hook', body: String(at) }))
    await store.conversations.finish(state, { deliveries })
    const claims = await Promise.all([store.deliveries.claim(5, 60_000), store.deliveries.claim(5, 60_000)])
    const bodies = claims.flat().map(({ body }) => Number(body))
    expect(bodies.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    const [first] = claims.flat()
    await store.deliveries.putOff(first?.id ?? '', new Date(0))
    expect(await store.deliveries.claim(5, 60_000)).toMatchObject([{ id: first?.id, attempt: 2 }])
  })
})

const runAsProvider = async (statement: string) => {
  const client = new Client(toRoleUrl(fresh.databaseUrl, 'parley_provider'))
  await client.connect()
  try {
    await client.query(statement)
    return 'may'
  } catch (error) {
    return (error as { code?: string }).code
  } finally {
    await client.end()
  }
}

describe('rights', () => {
  test('[X2] parley_provider can use only the tables and functions of its own schema', async () => {
    const tables = await runSql(
      fresh.databaseUrl,
      `select schemaname || '.' || tablename as name from pg_tables
         where schemaname not in ('pg_catalog', 'information_schema')`,
    )
    const others = tables.map(({ name }) => String(name)).filter((name) => !name.startsWith('provider.'))
    expect(others.length).toBeGreaterThan(10)
    for (const name of others)
      expect([name, await runAsProvider(`select from ${name}`)]).toEqual([name, '42501'])
    expect(await runAsProvider('select from provider.documents')).toBe('may')
    const functions = await runSql(
      fresh.databaseUrl,
      `select p.oid::regprocedure from pg_proc p join pg_namespace n on n.oid = p.pronamespace
        where nspname not in ('pg_catalog', 'information_schema')
          and has_schema_privilege('parley_provider', n.oid, 'usage')
          and has_function_privilege('parley_provider', p.oid, 'execute')`,
    )
    expect(functions).toEqual([])
  })

  test.each(['parley_serving', 'parley_learning', 'parley_public'] as const)(
    '[X2] %s sees nothing of the provider',
    async (role) => {
      const client = new Client(toRoleUrl(fresh.databaseUrl, role))
      await client.connect()
      await expect(client.query('select from provider.documents')).rejects.toMatchObject({ code: '42501' })
      await client.end()
    },
  )
})
