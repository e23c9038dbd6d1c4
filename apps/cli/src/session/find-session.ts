import { PlatformError } from '@parley/contracts'
import type { AgentSessionRecord, SessionStore } from '@parley/engine'
import { findById } from './find-by-id.ts'

/** The session that a whole id or the beginning of one stands for; without either, the latest. */
export async function findSession(
  store: SessionStore,
  given: string | undefined,
): Promise<AgentSessionRecord> {
  if (given === undefined) return latest(store)
  const found = await findById(
    {
      find: (id) => store.find(id),
      list: (page) => store.list(page),
      called: ({ session }) => session,
    },
    given,
  )
  if (found) return found
  throw new PlatformError('session_not_found', {
    message: `There is no session whose id begins with "${given}".`,
    given,
  })
}

async function latest(store: SessionStore): Promise<AgentSessionRecord> {
  const { items } = await store.list({ limit: 1 })
  const [record] = items
  if (record) return record
  throw new PlatformError('session_not_found', {
    message: 'There is no session yet.',
    mend: '`parley chat` starts one.',
  })
}
