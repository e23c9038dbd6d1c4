import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { openTransaction } from '@parley/postgres/testing'
import { failOverdueStarts, type ReflectionSession } from '@parley/reflections'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { query, until } from '../../adapters/postgres/src/server/testing/test-cluster.ts'
import { visitorApi } from '../../apps/api/src/reflections/visitor-api.fixture.ts'
import { visitsOf } from '../../apps/api/src/reflections/visitors.ts'

type Api = Awaited<ReturnType<typeof visitorApi>>

let api: Api
let second: Awaited<ReturnType<Api['services']>>
beforeEach(async () => {
  api = await visitorApi()
  second = await api.services()
})
afterEach(async () => {
  await second.close()
  await api[Symbol.asyncDispose]()
})

/** Starts sessions at once, every other one in a second process's parts; gives the tokens of the visitors who got in. */
async function startMany(token: string, count: number): Promise<readonly string[]> {
  const visit = visitsOf(second.services)
  const started = Array.from({ length: count }, async (_, index) => {
    if (index % 2 === 0) {
      const answered = await api.visit(token)
      return answered.status === 201 ? api.visited(answered).token : undefined
    }
    const asked = { token, channel: 'text', transport: 'websocket', shape: 'web' } as const
    return visit(asked).then(
      (session) => session.token,
      () => undefined,
    )
  })
  return (await Promise.all(started)).filter((one) => one !== undefined)
}

const sessionsOf = (linkId: string) =>
  query(
    api.databaseUrl,
    `select session_id from reflection_sessions where share_link_id = '${linkId}' and status in ('starting', 'active')`,
  )

test('[V17] fifty starts at once on a link of ten uses are ten sessions', async () => {
  const link = await api.share({ maxUses: 10 })
  const inside = await startMany(link.token, 50)
  expect(inside).toHaveLength(10)
  expect(await api.uses(link.id)).toBe(10)
  expect(await sessionsOf(link.id)).toHaveLength(10)
})

test('[V17] starts that fail give back what they took, all at once too', async () => {
  const link = await api.share({ namespaces: ['diary'], maxUses: 50 })
  expect(await startMany(link.token, 50)).toEqual([])
  expect(await api.uses(link.id)).toBe(0)
  expect(await sessionsOf(link.id)).toEqual([])
})

test('[V17] a process that is killed before its session has a row leaves no use taken', async () => {
  const link = await api.share({ maxUses: 3 })
  const lock = await openTransaction(api.databaseUrl, 'lock table reflection_sessions in share mode')
  const program = fileURLToPath(new URL('./visiting-process.ts', import.meta.url))
  const child = spawn(process.execPath, [program, api.databaseUrl, api.home, link.token], {
    stdio: 'inherit',
  })
  const opening = async () =>
    query(
      api.databaseUrl,
      `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
       and query ilike '%insert into reflection_sessions%'`,
    )
  await until(async () => (await opening()).length > 0)
  child.kill('SIGKILL')
  await once(child, 'exit')
  await lock.end()
  // Whether the statement that the process left behind gets through is for Postgres to say.
  await until(async () => (await opening()).length === 0)
  await failOverdueStarts(second.services, Date.now() + 120_000)
  expect(await api.uses(link.id)).toBe(0)
  expect(await sessionsOf(link.id)).toEqual([])
})

test('[V17] whatever becomes of starts while namespaces are taken back, uses are sessions', async () => {
  const link = await api.share({ maxUses: 30 })
  const starts = startMany(link.token, 50)
  await api.publish('unpublish', 'talks')
  await api.publish('publish', 'talks')
  const inside = await starts
  expect(await api.uses(link.id)).toBe(inside.length)
  const letIn = await Promise.all(inside.map((token) => api.call('GET', '/me', undefined, token)))
  expect(await sessionsOf(link.id)).toHaveLength(letIn.filter(({ status }) => status === 200).length)
})

test('[V17] who starts while the link is revoked is out too, and sees nothing', async () => {
  const link = await api.share()
  const starts = startMany(link.token, 40)
  await expect.poll(() => sessionsOf(link.id), { interval: 1, timeout: 60_000 }).not.toEqual([])
  expect((await api.revoke(link.id)).status).toBe(204)
  const inside = await starts
  const letIn = await Promise.all(inside.map((token) => api.call('GET', '/me', undefined, token)))
  expect(letIn.filter(({ status }) => status !== 401)).toEqual([])
  const scopes = await query(
    api.databaseUrl,
    `select p.session_id from public_scopes p join reflection_sessions s using (session_id)
      where s.share_link_id = '${link.id}'`,
  )
  expect(scopes).toEqual([])
})

test(
  '[P6] once an unpublish has returned, no running session is told anything of it',
  { timeout: 120_000 },
  async () => {
    const link = await api.share()
    const start = async () => {
      const { sessionId } = api.visited(await api.visit(link.token))
      const session = await api.database.reflectionSessions.find(sessionId)
      return session ? [session] : []
    }
    let published = true
    const told = { whilePublished: 0, afterwards: 0, asked: 0 }
    const ask = async (session: ReflectionSession, over: AbortSignal) => {
      while (!over.aborted) {
        // An answer that was settled before the unpublish may still be on its way to us.
        const isAskedWhilePublished = published
        const found = await second.services.retrieveForSession(
          session,
          'comets in Lisbon',
          AbortSignal.timeout(10_000),
        )
        const isTold = found.evidence.some(({ namespace }) => namespace === 'talks')
        if (isAskedWhilePublished) told.whilePublished += Number(isTold)
        else {
          told.asked += 1
          told.afterwards += Number(isTold)
        }
      }
    }
    for (let round = 0; round < 5; round += 1) {
      const sessions = (await Promise.all([start(), start(), start(), start()])).flat()
      const over = new AbortController()
      const asking = Promise.all(sessions.map((session) => ask(session, over.signal)))
      const before = { ...told }
      await expect
        .poll(() => told.whilePublished, { timeout: 60_000 })
        .toBeGreaterThan(before.whilePublished + 4)
      await api.call('POST', `${api.at}/unpublish`, { namespaces: ['talks'] })
      published = false
      await expect.poll(() => told.asked, { timeout: 60_000 }).toBeGreaterThan(before.asked + 8)
      over.abort()
      await asking
      published = true
      await api.publish('publish', 'talks')
    }
    expect(told.afterwards).toBe(0)
  },
)
