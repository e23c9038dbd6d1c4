import type { SessionView } from '@parley/contracts'
import { type AgentSessionRecord, sessionView } from '@parley/engine'
import type { ReflectionSession } from '@parley/reflections'
import type { Caller } from '../auth/authenticate.ts'
import { mayEnterSession } from '../auth/may-enter-session.ts'
import type { Services } from '../services.ts'
import type { StandingHost } from '../voice/standing-of.ts'
import { labelsOfOthers } from './listed-sessions.ts'

/** A session as its reader is told of it. Who may read one that is with no reflection may write in it as well. */
export async function viewFor(
  caller: Caller,
  record: AgentSessionRecord,
  withReflection: ReflectionSession | undefined,
  host: StandingHost & Pick<Services, 'tokens'>,
): Promise<SessionView> {
  const mayWrite = !withReflection || (await mayEnterSession(caller, withReflection, 'speak', host))
  const { ownerId } = record.session
  const ownerLabel = (await labelsOfOthers(caller, [ownerId], host)).get(ownerId)
  return { ...sessionView(record, { mayWrite }), ...(ownerLabel !== undefined && { ownerLabel }) }
}
