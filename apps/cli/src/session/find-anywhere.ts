import { PlatformError, type SessionView } from '@parley/contracts'
import type { AgentSessionRecord, SessionStore } from '@parley/engine'
import type { CommandCall } from '../commands/command.ts'
import type { AtServer } from '../reflection/at-server.ts'
import { findSession } from './find-session.ts'

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
