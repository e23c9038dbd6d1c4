import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { openTransaction } from '@parley/postgres/testing'
import { failOverdueStarts, type ReflectionSession } from '@parley/reflections'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runSql, waitUntil } from '../../adapters/postgres/src/server/testing/test-cluster.ts'
import { visitorApi } from '../../apps/api/src/reflections/visitor-api.fixture.ts'
import { createVisitStarter } from '../../apps/api/src/reflections/visitors.ts'

type VisitorApi = Awaited<ReturnType<typeof visitorApi>>

let api: VisitorApi
let second: Awaited<ReturnType<VisitorApi['services']>>
beforeEach(async () => {
  api = await visitorApi()
  second = await api.services()
})
afterEach(async () => {
  await second.close()
  await api[Symbol.asyncDispose]()
})

/** Starts sessions in parallel, every other one in the second process. Returns the tokens of the successful visitors. */
async function startMany(token: string, count: number): Promise<readonly string[]> {
  const visit = createVisitStarter(second.services)
  const started = Array.from({ length: count }, async (_, index) => {
    if (index % 2 === 0) {
      const answered = await api.visit(token)
      return answered.status === 201 ? api.visited(answered).token : undefined
    }
    const asked = { token, channel: 'text', transport: 'websocket', client: 'web' } as const
    return visit(asked).then(
      (session) => session.token,
      () => undefined,
    )
  })
  return (await Promise.all(started)).filter((visitorToken) => visitorToken !== undefined)
}

const findSessions = (linkId: string) =>
  runSql(
    api.databaseUrl,
    `select session_id from reflection_sessions where share_link_id = '${linkId}' and status in ('starting', 'active')`,
  )

test('[V17] fifty parallel starts with a link of ten uses create ten sessions', async () => {
  const link = await api.share({ maxUses: 10 })
  const tokens = await startMany(link.token, 50)
  expect(tokens).toHaveLength(10)
  expect(await api.uses(link.id)).toBe(10)
  expect(await findSessions(link.id)).toHaveLength(10)
})

test('[V17] failed parallel starts return their uses', async () => {
  const link = await api.share({ namespaces: ['diary'], maxUses: 50 })
  expect(await startMany(link.token, 50)).toEqual([])
  expect(await api.uses(link.id)).toBe(0)
  expect(await findSessions(link.id)).toEqual([])
})

test('[V17] a process killed before its session is stored uses up nothing', async () => {
  const link = await api.share({ maxUses: 3 })
  const lock = await openTransaction(api.databaseUrl, 'lock table reflection_sessions in share mode')
  const program = fileURLToPath(new URL('./visiting-process.ts', import.meta.url))
  const child = spawn(process.execPath, [program, api.databaseUrl, api.home, link.token], {
    stdio: 'inherit',
  })
  const findBlockedInserts = async () =>
    runSql(
      api.databaseUrl,
      `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
       and query ilike '%insert into reflection_sessions%'`,
    )
  await waitUntil(async () => (await findBlockedInserts()).length > 0)
  child.kill('SIGKILL')
  await once(child, 'exit')
  await lock.end()
  // Postgres may still finish the dead process's statement, or not.
  await waitUntil(async () => (await findBlockedInserts()).length === 0)
  await failOverdueStarts(second.services, Date.now() + 120_000)
  expect(await api.uses(link.id)).toBe(0)
  expect(await findSessions(link.id)).toEqual([])
})

test('[V17] starts during an unpublish count as many uses as sessions', async () => {
  const link = await api.share({ maxUses: 30 })
  const starts = startMany(link.token, 50)
  await api.publish('unpublish', 'talks')
  await api.publish('publish', 'talks')
  const tokens = await starts
  expect(await api.uses(link.id)).toBe(tokens.length)
  const responses = await Promise.all(tokens.map((token) => api.call('GET', '/me', undefined, token)))
  expect(await findSessions(link.id)).toHaveLength(responses.filter(({ status }) => status === 200).length)
})

test('[V17] sessions that start during a revocation end and lose their scope', async () => {
  const link = await api.share()
  const starts = startMany(link.token, 40)
  await expect.poll(() => findSessions(link.id), { interval: 1, timeout: 60_000 }).not.toEqual([])
  expect((await api.revoke(link.id)).status).toBe(204)
  const tokens = await starts
  const responses = await Promise.all(tokens.map((token) => api.call('GET', '/me', undefined, token)))
  expect(responses.filter(({ status }) => status !== 401)).toEqual([])
  const scopes = await runSql(
    api.databaseUrl,
    `select p.session_id from public_scopes p join reflection_sessions s using (session_id)
      where s.share_link_id = '${link.id}'`,
  )
  expect(scopes).toEqual([])
})

test(
  '[P6] after an unpublish returns, no running session finds the unpublished text',
  { timeout: 120_000 },
  async () => {
    const link = await api.share()
    const start = async () => {
      const { sessionId } = api.visited(await api.visit(link.token))
      const session = await api.database.sessionRows.find(sessionId)
      return session ? [session] : []
    }
    let published = true
    const counts = { foundBefore: 0, foundAfterwards: 0, searchesAfterwards: 0 }
    const ask = async (session: ReflectionSession, over: AbortSignal) => {
      while (!over.aborted) {
        // A search from before the unpublish may still return the text.
        const wasPublished = published
        const found = await second.services.retrieveForSession(
          session,
          'comets in Lisbon',
          AbortSignal.timeout(10_000),
        )
        const isFound = found.evidence.some(({ namespace }) => namespace === 'talks')
        if (wasPublished) counts.foundBefore += Number(isFound)
        else {
          counts.searchesAfterwards += 1
          counts.foundAfterwards += Number(isFound)
        }
      }
    }
    for (let round = 0; round < 5; round += 1) {
      const sessions = (await Promise.all([start(), start(), start(), start()])).flat()
      const over = new AbortController()
      const asking = Promise.all(sessions.map((session) => ask(session, over.signal)))
      const before = { ...counts }
      await expect.poll(() => counts.foundBefore, { timeout: 60_000 }).toBeGreaterThan(before.foundBefore + 4)
      await api.call('POST', `${api.at}/unpublish`, { namespaces: ['talks'] })
      published = false
      await expect
        .poll(() => counts.searchesAfterwards, { timeout: 60_000 })
        .toBeGreaterThan(before.searchesAfterwards + 8)
      over.abort()
      await asking
      published = true
      await api.publish('publish', 'talks')
    }
    expect(counts.foundAfterwards).toBe(0)
  },
)
