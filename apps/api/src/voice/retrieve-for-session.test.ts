import type { ReflectionId, SessionId } from '@parley/contracts'
import { createRetrievalCache } from '@parley/knowledge'
import type { ReflectionSession } from '@parley/voice'
import { expect, test } from 'vitest'
import { retrieveForSession, type SessionRetrievalHost } from './retrieve-for-session.ts'

const session = {
  sessionId: 'ses_made_up' as SessionId,
  reflectionId: 'rfl_made_up' as ReflectionId,
  shareLinkId: 'lnk_made_up',
  audience: 'public',
  namespaces: ['essays'],
  ingestion: 'keep-only',
} as unknown as ReflectionSession

const hanging = () => new Promise<never>(() => {})

test.each(['shareLinks', 'reflections'] as const)(
  '[V15] a database that does not say what may be seen is not waited for: %s',
  async (which) => {
    const database = {
      shareLinks: { find: async () => undefined },
      reflections: { find: async () => undefined },
      [which]: { find: hanging },
    } as unknown as SessionRetrievalHost['database']
    const ask = retrieveForSession({ database, cache: createRetrievalCache(performance) })
    expect(await ask(session, 'Where?', new AbortController().signal)).toMatchObject({
      evidence: [],
      partial: true,
    })
  },
)
