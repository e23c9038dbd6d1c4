import { PlatformError, type SessionView } from '@parley/contracts'
import type { AgentSessionRecord, SessionStore } from '@parley/engine'
import type { CommandCall } from '../commands/command.ts'
import type { AtServer } from '../reflection/at-server.ts'
import { findById } from './find-by-id.ts'

export type FoundSession =
  | { readonly kind: 'here'; readonly record: AgentSessionRecord }
  | { readonly kind: 'there'; readonly view: SessionView; readonly server: AtServer }

/** The session of this machine's history, or where it has none such, of the Parley that runs. */
export async function findAnywhere(
  store: SessionStore,
  given: string | undefined,
  call: Pick<CommandCall, 'io'>,
): Promise<FoundSession> {
  try {
    return { kind: 'here', record: await findSession(store, given) }
  } catch (failure) {
    if (!(failure instanceof PlatformError) || failure.code !== 'session_not_found') throw failure
    const { findThere } = await import('./find-there.ts')
    return { kind: 'there', ...(await findThere(given, failure, call)) }
  }
}

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
