import type { Handlers } from './handlers.ts'
import { PlatformError, type SessionEvent, type WaitingApproval } from '@parley/contracts'
import type { AgentSessionRecord } from '@parley/engine'
import type { Caller } from '../auth/authenticate.ts'
import type { Services } from '../services.ts'
import { labelsOfOthers, whoseSessions } from './listed-sessions.ts'
import { sessionFor } from './session-for.ts'

const MOST = 100
const PAGE = 100

/** Every call that waits for a person, and that the caller may decide on. */
export function approvalHandlers(services: Services) {
  return {
    listApprovals: async (c) => {
      const caller = c.get('caller')
      const found = await waitingFor(caller, services)
      const labels = await labelsOfOthers(
        caller,
        found.map(({ session }) => session.ownerId),
        services,
      )
      const asked = await Promise.all(found.slice(0, MOST).map((record) => requestIn(record, services)))
      const items = asked
        .flatMap((request, at): readonly WaitingApproval[] => {
          const ownerLabel = labels.get(found[at]?.session.ownerId ?? '')
          return request ? [{ ...request, ...(ownerLabel !== undefined && { ownerLabel }) }] : []
        })
        .toSorted((a, b) => a.askedAt.localeCompare(b.askedAt))
      return c.json({ items, ...(found.length > MOST && { more: true as const }) }, 200)
    },
  } satisfies Partial<Handlers>
}

/** One more than are told at once, where there are so many. */
async function waitingFor(caller: Caller, services: Services): Promise<readonly AgentSessionRecord[]> {
  const found: AgentSessionRecord[] = []
  let cursor: string | undefined
  do {
    const page = await services.store.list({
      ...whoseSessions(caller, 'all'),
      turn: 'waiting',
      limit: PAGE,
      ...(cursor !== undefined && { cursor }),
    })
    for (const record of page.items) if (await mayDecide(caller, record, services)) found.push(record)
    cursor = page.nextCursor
  } while (cursor !== undefined && found.length <= MOST)
  return found
}

/** What an admin may read is not always theirs to speak in. */
const mayDecide = (caller: Caller, { session }: AgentSessionRecord, services: Services): Promise<boolean> =>
  sessionFor(caller, session.id, 'speak', services).then(
    () => true,
    (failure: unknown) => {
      if (failure instanceof PlatformError && failure.code === 'session_not_found') return false
      throw failure
    },
  )

type Asked = Omit<Extract<SessionEvent, { type: 'agent:approval_requested' }>, 'type' | 'turnId'>

/** The last event of a waiting turn holds its question; undefined if the turn has continued since. */
async function requestIn(
  { session, lastSequence }: AgentSessionRecord,
  { store }: Services,
): Promise<WaitingApproval | undefined> {
  const [last] = await store.readEvents(session.id, { after: lastSequence - 1, limit: 1 })
  if (last?.body.type !== 'agent:approval_requested') return undefined
  const { callId, tool, target, preview, inputHash, grant } = last.body as unknown as Asked
  return {
    sessionId: session.id,
    ...(session.title !== undefined && { title: session.title }),
    agentSlug: session.agentSlug,
    askedAt: last.timestamp,
    callId,
    tool,
    target,
    ...(preview && { preview }),
    ...(inputHash !== undefined && { inputHash }),
    ...(grant && { grant }),
  }
}
