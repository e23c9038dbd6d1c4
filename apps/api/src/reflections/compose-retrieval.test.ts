import type { PersonId, ReflectionId, SessionId } from '@parley/contracts'
import { createRetrievalCache } from '@parley/knowledge'
import { type Learning, openLearning } from '@parley/postgres'
import { startInTime, type ReflectionSession } from '@parley/reflections'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ComposedServices } from '../compose.ts'
import { composeRetrieveForSession, type SessionRetrievalHost } from './compose-retrieval.ts'
import { wait as afterDelay } from '../node-host.ts'
import { composeReflectionSessions } from './reflection-host.ts'
import { typedApi } from './typed-api.fixture.ts'

const madeUp = {
  sessionId: 'ses_made_up' as SessionId,
  reflectionId: 'rfl_made_up' as ReflectionId,
  shareLinkId: 'lnk_made_up',
  sessionAudience: 'public',
  namespaces: ['essays'],
  ingestion: 'keep-only',
} as unknown as ReflectionSession

const hanging = () => new Promise<never>(() => {})

test.each(['shareLinks', 'reflections'] as const)(
  '[V15] a database that does not answer in time gives a partial result: %s',
  async (which) => {
    const database = {
      shareLinks: { find: async () => undefined },
      reflections: { find: async () => undefined },
      [which]: { find: hanging },
    } as unknown as SessionRetrievalHost['database']
    const ask = composeRetrieveForSession({ database, cache: createRetrievalCache(performance) })
    expect(await ask(madeUp, 'Where?', new AbortController().signal)).toMatchObject({
      evidence: [],
      partial: true,
    })
  },
)

/** Another process publishes or unpublishes between the first look at the reflection and the second. */
function changingWhileSearched(before: readonly string[], after: readonly string[]) {
  let searches = 0
  const published = () => (searches === 0 ? before : after)
  const database = {
    shareLinks: { find: async () => undefined },
    reflections: {
      find: async () => ({
        displayName: 'Ada Winter',
        publishRevision: searches === 0 ? 1 : 2,
        knowledgeRevision: 1,
        namespaces: ['essays', 'garden'].map((name) => ({ name, isPublished: published().includes(name) })),
      }),
      readFormerNames: async () => [],
    },
    citations: { record: () => {} },
    publicScopes: { getCapability: () => new Uint8Array() },
    retriever: {
      async searchPublic() {
        const evidence = published().map((namespace) => ({
          kind: 'chunk',
          source: { id: `src_${namespace}` },
          place: {},
          text: `Search ${searches + 1} of ${namespace}.`,
          namespace,
          score: 1,
        }))
        searches += 1
        return { evidence, isPartial: false }
      },
    },
  } as unknown as SessionRetrievalHost['database']
  return composeRetrieveForSession({ database, cache: createRetrievalCache(performance) })
}

test.each<[string, readonly string[], readonly string[], readonly string[]]>([
  ['unpublished altogether', ['garden'], [], []],
  ['unpublished in part', ['essays', 'garden'], ['essays'], ['Search 2 of essays.']],
  ['published too', ['garden'], ['essays', 'garden'], ['Search 2 of essays.', 'Search 2 of garden.']],
])('[P6] a public search starts again if something was %s during it', async (_, before, after, expected) => {
  const ask = changingWhileSearched(before, after)
  const session = { ...madeUp, namespaces: ['essays', 'garden'] }
  const { evidence, partial } = await ask(session, 'Where?', new AbortController().signal)
  expect(partial).toBeUndefined()
  expect(evidence.map(({ text }) => text).toSorted()).toEqual(expected)
})

describe('on a real database', () => {
  let api: Awaited<ReturnType<typeof typedApi>>
  let composed: ComposedServices
  let learning: Learning
  beforeAll(async () => {
    api = await typedApi()
    learning = openLearning({ databaseUrl: api.databaseUrl })
    await api.tell('garden', 'Garden notes', 'I am Ada Winter. I live in Kent.')
    await api.call('POST', `/reflections/${api.reflectionId}/publish`, { body: { namespaces: ['garden'] } })
    await api.rebuild()
    composed = await api.composed()
  })
  afterAll(async () => {
    await learning.close()
    await api.dispose()
  })

  const reflection = async () => {
    const found = await composed.services.reflections.find(api.reflectionId)
    if (!found) throw new Error('There is no reflection')
    return found
  }
  const sessionFor = async (audience: 'private' | 'public') => {
    const sessionId =
      audience === 'private' ? await api.started() : (await visit(await reflection())).sessionId
    const found = await composed.services.sessionRows.find(sessionId)
    if (!found) throw new Error('There is no session')
    return found
  }
  let visitors = 0
  const visit = (of: Awaited<ReturnType<typeof reflection>>) => {
    visitors += 1
    const personId = `per_visitor${visitors}` as PersonId
    const hints = { roomPrefix: 'share' } as const
    const guest = { personId, role: 'guest', audience: 'public', hints, offRecord: false } as const
    return startInTime(afterDelay, (time) =>
      composeReflectionSessions(composed.services).startTyped({ reflection: of, ...guest }, time),
    )
  }
  const factsIn = (found: Awaited<ReturnType<typeof composed.services.retrieveForSession>>) =>
    found.evidence.filter(({ kind }) => kind === 'fact').map(({ text }) => text)
  const lastPatch = async () => {
    const [patch] = (await composed.services.reflections.listPatches(api.reflectionId, { limit: 1 })).items
    if (!patch) throw new Error('There is no patch')
    return patch
  }

  test.each(['private', 'public'] as const)(
    '[K2] [V15] a fact that another process reverted is not served from the cache: %s',
    async (audience) => {
      await api.tell('garden', 'Boats', `Ada Winter likes kayaks. This is ${audience}.`)
      const patch = await lastPatch()
      const { retrieveForSession: ask } = composed.services
      const session = await sessionFor(audience)
      const asked = async () =>
        factsIn(await ask(session, 'Does Ada Winter like kayaks?', AbortSignal.timeout(9_000)))
      expect(await asked()).toContain('Ada Winter likes kayaks.')
      await learning.learning.applyReview(patch.id, 'revert', 'per_ada' as PersonId)
      expect(await asked()).not.toContain('Ada Winter likes kayaks.')
    },
  )

  test('[P6] a namespace that is unpublished during the search is not returned', async () => {
    const session = await sessionFor('public')
    const { retriever } = composed.database
    const ask = composeRetrieveForSession({
      database: {
        ...composed.database,
        retriever: {
          ...retriever,
          async searchPublic(capability, search, signal) {
            const found = await retriever.searchPublic(capability, search, signal)
            const body = { namespaces: ['garden'] }
            await api.call('POST', `/reflections/${api.reflectionId}/unpublish`, { body })
            return found
          },
        },
      },
      cache: createRetrievalCache(performance),
    })
    expect(await ask(session, 'Where does Ada live?', AbortSignal.timeout(9_000))).toMatchObject({
      evidence: [],
    })
  })
})
