import type { ListSessions, ListedSession, SessionId, SessionPage, SessionView } from '@parley/contracts'
import { type AgentSessionRecord, sessionView } from '@parley/engine'
import { NO_FOLDER, type ReflectionSession, type SessionRoleHost, mayEnterSession } from '@parley/reflections'
import type { Caller } from '../auth/authenticate.ts'
import { labelsOfOthers } from '../routes/listed-sessions.ts'
import type { Services } from '../services.ts'

/** The record of a session that has only its row. */
const toSessionRecord = ({
  sessionId,
  personId,
  channel,
  createdAt,
}: ReflectionSession): AgentSessionRecord => ({
  session: {
    id: sessionId,
    ownerId: personId,
    channel,
    status: 'active',
    agentSlug: AGENT.id,
    agentSnapshot: AGENT,
    context: NO_FOLDER,
    costs: {},
    grants: [],
    messageCount: 0,
    createdAt,
    updatedAt: createdAt,
  },
  lastSequence: 0,
})

/** What its own agent was is not kept. */
const AGENT = { id: 'unknown', model: 'unknown', provider: 'unknown', system_prompt: '' }

/** An off-record session that has only its row here: a call, or a session in the memory of another process. Undefined for callers who may not end it. */
export async function findUnrecordedSession(
  caller: Caller,
  sessionId: SessionId,
  host: Pick<Services, 'store' | 'reflectionSessions'> & SessionRoleHost,
): Promise<AgentSessionRecord | undefined> {
  const row = await host.reflectionSessions.find(sessionId)
  if (row?.ingestion !== 'off-record' || !(await mayEnterSession(caller, row, 'end', host))) return undefined
  return (await host.store.find(sessionId)) ? undefined : toSessionRecord(row)
}

/** A session that did not start, for who may read it: its row, which says why. */
export async function findFailedStart(
  caller: Caller,
  sessionId: SessionId,
  host: Pick<Services, 'store' | 'reflectionSessions'> & SessionRoleHost,
): Promise<SessionView | undefined> {
  const row = await host.reflectionSessions.find(sessionId)
  if (row?.status !== 'failed' || !(await mayEnterSession(caller, row, 'read', host))) return undefined
  return (await host.store.find(sessionId)) ? undefined : viewOf(row)
}

/** Those of a person, or all that they may read. Nothing was said in them, so no words find them. */
export async function listFailedStarts(
  caller: Caller,
  { whose, reflectionId, channel, limit, cursor, search, turn }: ListSessions,
  { reflectionSessions, tokens }: Pick<Services, 'reflectionSessions' | 'tokens'>,
): Promise<SessionPage> {
  if (search !== undefined || turn !== undefined) return { items: [] }
  const { items, ...next } = await reflectionSessions.failed({
    ...(whose === 'all' ? { reader: caller.personId } : { personId: caller.personId }),
    ...(reflectionId !== undefined && { reflectionId }),
    ...(channel !== undefined && { channel }),
    ...(cursor !== undefined && { cursor }),
    limit,
  })
  const ownerIds = items.map((row) => row.personId)
  const labels = await labelsOfOthers(caller, ownerIds, { tokens })
  const listed = (row: ReflectionSession): ListedSession => {
    const ownerLabel = labels.get(row.personId)
    return {
      ...viewOf(row),
      reflectionId: row.reflectionId,
      ...(ownerLabel !== undefined && { ownerLabel }),
    }
  }
  return { ...next, items: items.map(listed) }
}

const viewOf = (row: ReflectionSession): SessionView => ({
  ...sessionView(toSessionRecord(row), { mayWrite: false }),
  status: 'failed',
  failure: row.failure ?? 'internal',
})
