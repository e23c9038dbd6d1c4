import { createHash } from 'node:crypto'
import type { PersonId, SessionId } from '@parley/contracts'
import { createRetrievalCache, type Retriever } from '@parley/knowledge'
import { urlAs } from '@parley/postgres'
import type { ReflectionSession } from '@parley/reflections'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { query } from '../../adapters/postgres/src/server/testing/test-cluster.ts'
import { retrieveForSession } from '../../apps/api/src/reflections/retrieve-for-session.ts'
import { claimOf } from '../../apps/api/src/reflections/spoken-api.fixture.ts'
import { CANARY, visitorApi } from '../../apps/api/src/reflections/visitor-api.fixture.ts'
import { namespacesHash } from '../../core/reflections/src/variables/build-dynamic-variables.ts'

type Api = Awaited<ReturnType<typeof visitorApi>>

let api: Api
beforeEach(async () => {
  api = await visitorApi()
})
afterEach(() => api[Symbol.asyncDispose]())

const BOAT = { query: `boat ${CANARY}`, entityKeys: [], limit: 10 }
const { signal } = new AbortController()
const OWNER = 'per_owner' as PersonId
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

async function visiting(body: object = { channel: 'voice' }) {
  const link = await api.share()
  const { sessionId, token } = api.visited(await api.visit(link.token, body))
  return { link, token, session: await stored(sessionId) }
}

async function stored(sessionId: SessionId): Promise<ReflectionSession> {
  const session = await api.database.reflectionSessions.find(sessionId)
  if (!session) throw new Error('The session is not there')
  return session
}

const toolAnswer = async (session: ReflectionSession, question: string) =>
  JSON.stringify(await api.tool('retrieve-context', { ...claimOf(session), query: question }))

describe('[X3] the database alone', () => {
  test('shows a public search nothing private, whatever the session’s scope says', async () => {
    const { session } = await visiting()
    const capability = api.database.publicScopes.capabilityOf(session.sessionId)
    const search = async () =>
      JSON.stringify(await api.database.retriever.searchPublic(capability, BOAT, signal))
    expect(await search()).not.toContain(CANARY)
    await query(
      api.databaseUrl,
      `update public_scopes set namespace_ids = array(select id from namespaces where reflection_id = '${api.reflectionId}')`,
    )
    expect(await search()).not.toContain(CANARY)
    // The scope reaches it now: it is the publishing that was missing.
    await api.call('POST', `${api.at}/publish`, { namespaces: ['diary'] })
    expect(await search()).toContain(CANARY)
  })

  test('lets the public’s login read no table, and search nothing without a capability', async () => {
    const intruderUrl = urlAs(api.databaseUrl, 'parley_public')
    for (const table of PRIVATE_TABLES) {
      await expect(query(intruderUrl, `select * from public.${table}`)).rejects.toMatchObject({
        code: '42501',
      })
    }
    expect(await query(intruderUrl, `select * from gate.search('${BOAT.query}', '{}', 10)`)).toEqual([])
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

const leaky = (retriever: Retriever): Retriever => ({
  ...retriever,
  searchPublic: (_, search, within) => retriever.searchPrivate(api.reflectionId, undefined, search, within),
})

/** By the tool’s own rules, on such a database. */
const told = async (session: ReflectionSession) => {
  const database = { ...api.database, retriever: leaky(api.database.retriever) }
  const retrieve = retrieveForSession({ database, cache: createRetrievalCache(performance) })
  return JSON.stringify(await retrieve(session, `boat ${CANARY} observatory`, signal))
}

describe('[P4] [V15] the tool alone, on a database that shows it everything', () => {
  test('tells what is published, of the namespaces of the session', async () => {
    const { session } = await visiting()
    expect(await told(session)).toContain('observatory')
    expect(await told(session)).not.toContain(CANARY)
    const inPrivate = { ...session, sessionAudience: 'private', namespaces: ['diary'] } as const
    const { shareLinkId: _, ...ofMember } = inPrivate
    expect(await told(ofMember)).toContain(CANARY)
  })

  test('tells nothing private to a session whose row names it', async () => {
    const { session } = await visiting()
    await query(
      api.databaseUrl,
      `update reflection_sessions set namespaces = '{diary,essays}' where session_id = '${session.sessionId}'`,
    )
    const widened = await stored(session.sessionId)
    expect(widened.namespaces).toContain('diary')
    expect(await told(widened)).not.toContain(CANARY)
    await api.call('POST', `${api.at}/publish`, { namespaces: ['diary'] })
    expect(await told(widened)).toContain(CANARY)
  })
})

describe('[P8] freshness alone, where what serves still holds what was taken back', () => {
  test.each(['text', 'voice'] as const)('refuses a session by %s', async (channel) => {
    const { link, session } = await visiting()
    // Not through the API, which closes the agent too.
    await api.database.reflections.unpublish(api.reflectionId, ['essays'], OWNER)
    const { artifacts } = (await api.database.runtime.promoted(api.reflectionId)) ?? {}
    expect(JSON.stringify(artifacts?.reflection_voice_dossier.public)).toContain('observatory')
    expect(JSON.stringify(await api.provider.readAgent(session.agentId ?? '', signal))).toContain(
      'observatory',
    )
    expect(await api.visit(link.token, { channel })).toMatchObject({
      status: 503,
      code: 'public_runtime_stale',
    })
  })

  test('is not taken in by a state that says to be of what is published now', async () => {
    const { link } = await visiting()
    const before = (await api.database.syncs.read(api.reflectionId))?.syncs.public
    await api.call('POST', `${api.at}/unpublish`, { namespaces: ['essays'] })
    if (!before?.state) throw new Error('The public agent was never synced')
    const state = { ...before.state, publishedScopeHash: namespacesHash(['talks'], sha256) }
    await api.database.syncs.write(api.reflectionId, 'public', { ...before, state })
    const refused = await api.visit(link.token, { channel: 'voice' })
    expect(refused).toMatchObject({ status: 503, code: 'public_runtime_stale' })
    expect(JSON.stringify(refused.answer)).toContain('the scope that the artifacts were built from')
  })
})

test('[V17] revocation alone, where the session is on and its scope open: neither its agent nor its visitor is told anything', async () => {
  const { link, session, token } = await visiting()
  expect(await toolAnswer(session, 'Where is the observatory?')).toContain('Ankara')
  expect((await api.revoke(link.id)).status).toBe(204)
  const { sessionId, reflectionId, namespaces } = session
  await query(
    api.databaseUrl,
    `update reflection_sessions set status = 'active', ended_at = null where session_id = '${sessionId}'`,
  )
  await api.database.publicScopes.create({ sessionId, reflectionId, namespaces })
  const capability = api.database.publicScopes.capabilityOf(sessionId)
  const search = { ...BOAT, query: 'observatory' }
  expect(JSON.stringify(await api.database.retriever.searchPublic(capability, search, signal))).toContain(
    'Ankara',
  )

  expect(await toolAnswer(await stored(sessionId), 'Where is the observatory?')).toContain(
    'action_not_allowed',
  )
  expect(await api.call('GET', `/sessions/${sessionId}`, undefined, token)).toMatchObject({ status: 401 })
  expect(await api.visit(link.token)).toMatchObject({ status: 404, code: 'share_link_invalid' })
})
