import type { SessionId } from '@parley/contracts'
import type { AgentSessionRecord } from '@parley/engine'
import { mayEnterSession, type SessionRoleHost } from '@parley/reflections'
import type { Caller } from '../auth/authenticate.ts'
import type { Services } from '../services.ts'
import { recordOfRow } from './record-of-row.ts'

/** For who may end it: a session off the record of which nothing is here but its row, a call or one that another process holds. */
export async function unkeptSession(
  caller: Caller,
  sessionId: SessionId,
  host: Pick<Services, 'store' | 'reflectionSessions'> & SessionRoleHost,
): Promise<AgentSessionRecord | undefined> {
  const row = await host.reflectionSessions.find(sessionId)
  if (row?.ingestion !== 'off-record' || !(await mayEnterSession(caller, row, 'end', host))) return undefined
  return (await host.store.find(sessionId)) ? undefined : recordOfRow(row)
}
