import {
  type ListSessions,
  type ListedSession,
  type PersonId,
  PlatformError,
  type SessionId,
  type SessionPage,
  type SessionView,
} from '@parley/contracts'
import { type AgentSessionRecord, type SessionQuery, toSessionView } from '@parley/engine'
import { mayEnter, mayEnterSession } from '../access/may-enter.ts'
import type { SessionRoleHost } from '../access/session-role.ts'
import { isAdminAnywhere } from '../access/token-rules.ts'
import type { ReflectionSession, ReflectionSessionStore } from '../ports/reflection-session-store.ts'
import { isVisitor } from '../sharing/visitor-caps.ts'
import type { SessionAccessHost, SessionCaller } from './enter-session.ts'
import { NO_FOLDER } from '../starting/starting-host.ts'

export interface LabelHost {
  readonly tokens: { findLabels(personIds: readonly PersonId[]): Promise<ReadonlyMap<PersonId, string>> }
}

/** The query for a person's own sessions, or for all that they may read. */
export const createSessionScope = (
  { personId }: Pick<SessionCaller, 'personId'>,
  whose: ListSessions['whose'],
): Pick<SessionQuery, 'ownerId' | 'reader'> =>
  whose === 'all' ? { reader: personId } : { ownerId: personId, reader: personId }

/** Throws if somebody who is no admin asks for the sessions of others. */
export async function refuseOthersSessions(
  caller: SessionCaller,
  whose: ListSessions['whose'],
  { reflections }: { readonly reflections: { isAdminOfAny(personId: PersonId): Promise<boolean> } },
): Promise<void> {
  if (whose === 'own' || (await isAdminAnywhere(caller, reflections))) return
  throw new PlatformError('forbidden', {
    message: `Only admins of the server or of a reflection list the sessions of others; your role is ${caller.role}. Remove the parameter whose, or use whose=own.`,
  })
}

interface ListHost extends LabelHost, Pick<SessionRoleHost, 'findReflectionRole'> {
  readonly sessionRows: Pick<ReflectionSessionStore, 'findReflections'>
}

/** Sessions as a list shows them, with their reflection and their owner. */
export async function describeListed(
  caller: Pick<SessionCaller, 'personId'>,
  records: readonly AgentSessionRecord[],
  host: ListHost,
): Promise<ListedSession[]> {
  const ids = records.map(({ session }) => session.id)
  const ownerIds = records.map(({ session }) => session.ownerId)
  const [reflections, labels] = await Promise.all([
    host.sessionRows.findReflections(ids),
    readLabels(caller, ownerIds, host),
  ])
  const { personId } = caller
  const roles = new Map(
    await Promise.all(
      [...new Set(reflections.values())].map(
        async (id) => [id, await host.findReflectionRole(id, personId)] as const,
      ),
    ),
  )
  return records.map((record) => {
    const { id, ownerId } = record.session
    const reflectionId = reflections.get(id)
    const ownerLabel = labels.get(ownerId)
    const mayWrite =
      reflectionId === undefined ||
      mayEnter({ personId, role: roles.get(reflectionId) }, { ...LISTED, personId: ownerId }, 'write')
    return {
      ...toSessionView(record, { mayWrite }),
      ...(reflectionId !== undefined && { reflectionId }),
      ...(ownerLabel !== undefined && { ownerLabel }),
    }
  })
}

/** Off-record sessions are not stored, so no list has them. */
const LISTED = { partner: 'reflection', isOffRecord: false } as const

/** The names of the owners of these sessions, without the caller's own. */
export async function readLabels(
  { personId }: Pick<SessionCaller, 'personId'>,
  ownerIds: readonly PersonId[],
  { tokens }: LabelHost,
): Promise<ReadonlyMap<string, string>> {
  const others = [...new Set(ownerIds)].filter((id) => id !== personId)
  if (others.length === 0) return new Map()
  const known = await tokens.findLabels(others)
  const labelOf = (id: PersonId) => known.get(id) ?? (isVisitor(id) ? 'Visitor' : 'Somebody else')
  return new Map(others.map((id) => [id, labelOf(id)]))
}

/** A session as its reader sees it. Whoever may read a session without a reflection may also write in it. */
export async function viewSession(
  caller: Pick<SessionCaller, 'personId'>,
  record: AgentSessionRecord,
  row: ReflectionSession | undefined,
  host: SessionRoleHost & LabelHost,
): Promise<SessionView> {
  const mayWrite = !row || (await mayEnterSession(caller, row, 'write', host))
  const { ownerId } = record.session
  const ownerLabel = (await readLabels(caller, [ownerId], host)).get(ownerId)
  return { ...toSessionView(record, { mayWrite }), ...(ownerLabel !== undefined && { ownerLabel }) }
}

/** An off-record session that has ended is gone; its title is for its own person only. */
export function createEndedRecord(
  { personId }: Pick<SessionCaller, 'personId'>,
  record: AgentSessionRecord,
): AgentSessionRecord {
  const { title, ...session } = record.session
  const isNamed = title !== undefined && session.ownerId === personId
  return { ...record, session: { ...session, status: 'ended', ...(isNamed && { title }) } }
}

type RowHost = SessionRoleHost & Pick<SessionAccessHost, 'store' | 'sessionRows'>

/** A session that failed to start, with the reason. Undefined for callers who may not read it. */
export async function findFailedStart(
  caller: Pick<SessionCaller, 'personId'>,
  sessionId: SessionId,
  host: RowHost,
): Promise<SessionView | undefined> {
  const row = await host.sessionRows.find(sessionId)
  if (row?.status !== 'failed' || !(await mayEnterSession(caller, row, 'read', host))) return undefined
  return (await host.store.find(sessionId)) ? undefined : viewFailedStart(row)
}

/** A person's failed starts, or all that they may read. A search finds none, since they have no messages. */
export async function listFailedStarts(
  caller: Pick<SessionCaller, 'personId'>,
  { whose, reflectionId, channel, limit, cursor, search, turn }: ListSessions,
  { sessionRows, tokens }: LabelHost & { readonly sessionRows: Pick<ReflectionSessionStore, 'listFailed'> },
): Promise<SessionPage> {
  if (search !== undefined || turn !== undefined) return { items: [] }
  const { items, ...next } = await sessionRows.listFailed({
    ...(whose === 'all' ? { reader: caller.personId } : { personId: caller.personId }),
    ...(reflectionId !== undefined && { reflectionId }),
    ...(channel !== undefined && { channel }),
    ...(cursor !== undefined && { cursor }),
    limit,
  })
  const ownerIds = items.map((row) => row.personId)
  const labels = await readLabels(caller, ownerIds, { tokens })
  const toListed = (row: ReflectionSession): ListedSession => {
    const ownerLabel = labels.get(row.personId)
    return {
      ...viewFailedStart(row),
      reflectionId: row.reflectionId,
      ...(ownerLabel !== undefined && { ownerLabel }),
    }
  }
  return { ...next, items: items.map(toListed) }
}

const viewFailedStart = (row: ReflectionSession): SessionView => ({
  ...toSessionView(toSessionRecord(row), { mayWrite: false }),
  status: 'failed',
  failure: row.failure ?? 'internal',
})

/** The record of a session that has only its row, which does not keep the agent. */
export const toSessionRecord = ({
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
    agentSlug: UNKNOWN_AGENT.id,
    agentSnapshot: UNKNOWN_AGENT,
    context: NO_FOLDER,
    costs: {},
    grants: [],
    messageCount: 0,
    createdAt,
    updatedAt: createdAt,
  },
  lastSequence: 0,
})

const UNKNOWN_AGENT = { id: 'unknown', model: 'unknown', provider: 'unknown', system_prompt: '' }
