import { PlatformError, type WaitingApproval } from '@parley/contracts'
import { type AgentSessionRecord, type SessionStore, readApprovalRequest } from '@parley/engine'
import { enterSession, type SessionAccessHost, type SessionCaller } from './enter-session.ts'
import { type LabelHost, readLabels, createSessionScope } from './list-sessions.ts'

const MAX_LISTED = 100
const PAGE = 100

interface ApprovalsHost extends SessionAccessHost, LabelHost {
  readonly store: Pick<SessionStore, 'find' | 'list' | 'readEvents'>
}

/** The tool calls that wait for a decision of this person, oldest first. */
export async function listWaitingApprovals(
  caller: SessionCaller,
  host: ApprovalsHost,
): Promise<{ readonly items: WaitingApproval[]; readonly more?: true }> {
  const waiting = await findWaitingSessions(caller, host)
  const ownerIds = waiting.map(({ session }) => session.ownerId)
  const labels = await readLabels(caller, ownerIds, host)
  const requests = await Promise.all(
    waiting.slice(0, MAX_LISTED).map(async (record) => {
      const request = await readRequest(record, host.store)
      const ownerLabel = labels.get(record.session.ownerId)
      return request ? [{ ...request, ...(ownerLabel !== undefined && { ownerLabel }) }] : []
    }),
  )
  const items = requests.flat().toSorted((a, b) => a.askedAt.localeCompare(b.askedAt))
  return { items, ...(waiting.length > MAX_LISTED && { more: true as const }) }
}

/** Stops soon after one more than is listed. */
async function findWaitingSessions(
  caller: SessionCaller,
  host: ApprovalsHost,
): Promise<readonly AgentSessionRecord[]> {
  const found: AgentSessionRecord[] = []
  let cursor: string | undefined
  do {
    const page = await host.store.list({
      ...createSessionScope(caller, 'all'),
      turn: 'waiting',
      limit: PAGE,
      ...(cursor !== undefined && { cursor }),
    })
    for (const record of page.items) if (await mayDecide(caller, record, host)) found.push(record)
    cursor = page.nextCursor
  } while (cursor !== undefined && found.length <= MAX_LISTED)
  return found
}

/** An admin may read sessions in which they may not decide. */
const mayDecide = (
  caller: SessionCaller,
  { session }: AgentSessionRecord,
  host: SessionAccessHost,
): Promise<boolean> =>
  enterSession(caller, session.id, 'write', host).then(
    () => true,
    (failure: unknown) => {
      if (failure instanceof PlatformError && failure.code === 'session_not_found') return false
      throw failure
    },
  )

/** Undefined if the turn has continued since. */
async function readRequest(
  record: AgentSessionRecord,
  store: Pick<SessionStore, 'readEvents'>,
): Promise<WaitingApproval | undefined> {
  const request = await readApprovalRequest(record, store)
  if (!request) return undefined
  const { session } = record
  const { callId, tool, target, preview, inputHash, grant } = request
  return {
    sessionId: session.id,
    ...(session.title !== undefined && { title: session.title }),
    agentSlug: session.agentSlug,
    askedAt: request.timestamp,
    callId,
    tool,
    target,
    ...(preview && { preview }),
    ...(inputHash !== undefined && { inputHash }),
    ...(grant && { grant }),
  }
}
