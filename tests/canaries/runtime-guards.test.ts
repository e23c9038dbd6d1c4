import type { PersonId, SessionId } from '@parley/contracts'
import { createRetrievalCache, type Retriever } from '@parley/knowledge'
import { toRoleUrl } from '@parley/postgres'
import type { ReflectionSession } from '@parley/reflections'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sha256 } from '../../apps/api/src/node-host.ts'
import { runSql } from '../../adapters/postgres/src/server/testing/test-cluster.ts'
import { composeRetrieveForSession } from '../../apps/api/src/reflections/compose-retrieval.ts'
import { claimOf } from '../../apps/api/src/reflections/spoken-api.fixture.ts'
import { CANARY, visitorApi } from '../../apps/api/src/reflections/visitor-api.fixture.ts'
import { hashNamespaces } from '../../core/reflections/src/artifacts/content-hash.ts'

type VisitorApi = Awaited<ReturnType<typeof visitorApi>>

let api: VisitorApi
beforeEach(async () => {
  api = await visitorApi()
})
afterEach(() => api[Symbol.asyncDispose]())

const BOAT = { query: `boat ${CANARY}`, entityKeys: [], limit: 10 }
const { signal } = new AbortController()
const OWNER = 'per_owner' as PersonId

async function startVisit(body: object = { channel: 'voice' }) {
  const link = await api.share()
  const { sessionId, token } = api.visited(await api.visit(link.token, body))
  return { link, token, session: await findSession(sessionId) }
}

async function findSession(sessionId: SessionId): Promise<ReflectionSession> {
  const session = await api.database.sessionRows.find(sessionId)
  if (!session) throw new Error('The session does not exist')
  return session
}

const callSearchTool = async (session: ReflectionSession, question: string) =>
  JSON.stringify(await api.tool('retrieve-context', { ...claimOf(session), query: question }))

describe('[X3] the database', () => {
  test('returns no private text to a public search, even if the session’s scope lists it', async () => {
    const { session } = await startVisit()
    const capability = api.database.publicScopes.getCapability(session.sessionId)
    const search = async () =>
      JSON.stringify(await api.database.retriever.searchPublic(capability, BOAT, signal))
    expect(await search()).not.toContain(CANARY)
    await runSql(
      api.databaseUrl,
      `update public_scopes set namespace_ids = array(select id from namespaces where reflection_id = '${api.reflectionId}')`,
    )
    expect(await search()).not.toContain(CANARY)
    // The scope includes it: only the publishing was missing.
    await api.call('POST', `${api.at}/publish`, { namespaces: ['diary'] })
    expect(await search()).toContain(CANARY)
  })

  test('gives the public login no table, and no result without a capability', async () => {
    const intruderUrl = toRoleUrl(api.databaseUrl, 'parley_public')
    for (const table of PRIVATE_TABLES) {
      await expect(runSql(intruderUrl, `select * from public.${table}`)).rejects.toMatchObject({
        code: '42501',
      })
    }
    expect(await runSql(intruderUrl, `select * from gate.search('${BOAT.query}', '{}', 10)`)).toEqual([])
  })
})

const PRIVATE_TABLES = [
  'chunks',
  'facts',
  'sources',
  'namespaces',
  'voice_artifacts',
  'reflection_sessions',
  'session_messages',
]

const createLeakyRetriever = (retriever: Retriever): Retriever => ({
  ...retriever,
  searchPublic: (_, search, within) => retriever.searchPrivate(api.reflectionId, undefined, search, within),
})

/** The tool's answer on the leaky database. */
const searchLeakyDatabase = async (session: ReflectionSession) => {
  const database = { ...api.database, retriever: createLeakyRetriever(api.database.retriever) }
  const retrieve = composeRetrieveForSession({ database, cache: createRetrievalCache(performance) })
  return JSON.stringify(await retrieve(session, `boat ${CANARY} observatory`, signal))
}

describe('[P4] [V15] the search tool on a database that returns everything', () => {
  test('returns only public text of the session’s namespaces', async () => {
    const { session } = await startVisit()
    expect(await searchLeakyDatabase(session)).toContain('observatory')
    expect(await searchLeakyDatabase(session)).not.toContain(CANARY)
    const inPrivate = { ...session, sessionAudience: 'private', namespaces: ['diary'] } as const
    const { shareLinkId: _, ...ofMember } = inPrivate
    expect(await searchLeakyDatabase(ofMember)).toContain(CANARY)
  })

  test('returns no private text to a session whose row lists a private namespace', async () => {
    const { session } = await startVisit()
    await runSql(
      api.databaseUrl,
      `update reflection_sessions set namespaces = '{diary,essays}' where session_id = '${session.sessionId}'`,
    )
    const widened = await findSession(session.sessionId)
    expect(widened.namespaces).toContain('diary')
    expect(await searchLeakyDatabase(widened)).not.toContain(CANARY)
    await api.call('POST', `${api.at}/publish`, { namespaces: ['diary'] })
    expect(await searchLeakyDatabase(widened)).toContain(CANARY)
  })
})

describe('[P8] the freshness check, while the promoted artifacts contain unpublished text', () => {
  test.each(['text', 'voice'] as const)('refuses a new session by %s', async (channel) => {
    const { link, session } = await startVisit()
    // Not through the API, which would also close the agent.
    await api.database.reflections.unpublish(api.reflectionId, ['essays'], OWNER)
    const { artifacts } = (await api.database.runtime.readPromoted(api.reflectionId)) ?? {}
    expect(JSON.stringify(artifacts?.reflection_voice_dossier.public)).toContain('observatory')
    expect(JSON.stringify(await api.provider.readAgent(session.agentId ?? '', signal))).toContain(
      'observatory',
    )
    expect(await api.visit(link.token, { channel })).toMatchObject({
      status: 503,
      code: 'public_runtime_stale',
    })
  })

  test('refuses a sync state that claims the current scope', async () => {
    const { link } = await startVisit()
    const before = (await api.database.syncs.read(api.reflectionId))?.syncs.public
    await api.call('POST', `${api.at}/unpublish`, { namespaces: ['essays'] })
    if (!before?.state) throw new Error('The public agent was never synced')
    const state = { ...before.state, publishedScopeHash: hashNamespaces(['talks'], sha256) }
    await api.database.syncs.write(api.reflectionId, 'public', { ...before, state })
    const refused = await api.visit(link.token, { channel: 'voice' })
    expect(refused).toMatchObject({ status: 503, code: 'public_runtime_stale' })
    expect(JSON.stringify(refused.answer)).toContain('the scope that the artifacts were built from')
  })
})

test('[V17] after a revocation agent and visitor get nothing, even if the session is active and its scope open', async () => {
  const { link, session, token } = await startVisit()
  expect(await callSearchTool(session, 'Where is the observatory?')).toContain('Ankara')
  expect((await api.revoke(link.id)).status).toBe(204)
  const { sessionId, reflectionId, namespaces } = session
  await runSql(
    api.databaseUrl,
    `update reflection_sessions set status = 'active', ended_at = null where session_id = '${sessionId}'`,
  )
  await api.database.publicScopes.create({ sessionId, reflectionId, namespaces })
  const capability = api.database.publicScopes.getCapability(sessionId)
  const search = { ...BOAT, query: 'observatory' }
  expect(JSON.stringify(await api.database.retriever.searchPublic(capability, search, signal))).toContain(
    'Ankara',
  )

  expect(await callSearchTool(await findSession(sessionId), 'Where is the observatory?')).toContain(
    'action_not_allowed',
  )
  expect(await api.call('GET', `/sessions/${sessionId}`, undefined, token)).toMatchObject({ status: 401 })
  expect(await api.visit(link.token)).toMatchObject({ status: 404, code: 'share_link_invalid' })
})
