import type { AgentSession, PersonId, SessionId } from '@parley/contracts'
import type { SessionLimits } from '@parley/engine'
import type { LinkUsage, LinkUsageQuery, ShareLinkStore, VisitorSession } from '../ports/share-link-store.ts'

/** The limits are per link, except where a comment names something else. */
export const VISITOR_CAPS = {
  sessionsAtOnce: 50,
  /** A session without activity for so long no longer counts as active. */
  idleMs: 30 * 60_000,
  /** A reconnect counts as one more. */
  startsPerDay: 500,
  reconnectsPerSession: 5,
  microcentsPerDay: 500_000_000,
  turnsPerSession: 40,
  /** The body of one request. */
  bodyBytes: 16 * 1_024,
  /** Open event streams of one visitor at one process. */
  streamsAtOnce: 8,
} as const

/** The total budget of a visitor's session: its cost so far, and its share of the rest of the link's day. */
export function computeVisitorBudget(
  usage: LinkUsage,
  { microcents }: Pick<VisitorSession, 'microcents'>,
): number {
  const left = Math.max(0, VISITOR_CAPS.microcentsPerDay - usage.microcents)
  return microcents + Math.floor(left / Math.max(1, usage.active))
}

/** The form of a visitor's id, so that no look-up is needed to recognise one. */
const VISITOR_PREFIX = 'per_guest'

/** The person of one session by a share link. */
export const createVisitorId = (unique: string) => `${VISITOR_PREFIX}${unique}` as PersonId

export const isVisitor = (personId: PersonId): boolean => personId.startsWith(VISITOR_PREFIX)

/** The limits of a visitor's turns: few of them, within the rest of their link's budget for the day. */
export function createVisitorLimits(
  shareLinks: Pick<ShareLinkStore, 'findVisitorSession' | 'readUsage'>,
  now: () => number,
) {
  const readLimits = async (sessionId: SessionId): Promise<Partial<SessionLimits>> => {
    const visit = await shareLinks.findVisitorSession(sessionId)
    const maxTurns = VISITOR_CAPS.turnsPerSession
    if (!visit) return { maxTurns, maxCostMicrocents: 0, onExceed: 'fail' }
    const usage = await shareLinks.readUsage(visit.linkId, createUsageQuery(now()))
    return { maxTurns, maxCostMicrocents: computeVisitorBudget(usage, visit), onExceed: 'fail' }
  }
  return ({ id, ownerId }: Pick<AgentSession, 'id' | 'ownerId'>) =>
    isVisitor(ownerId) ? readLimits(id) : undefined
}

interface VisitInput {
  readonly usage: LinkUsage
  /** Sessions of the link that are being started. */
  readonly starting: number
  /** Milliseconds since 1970. */
  readonly now: number
}

type VisitDecision =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'refused'; readonly message: string; readonly retryAfterSeconds: number }

/** Whether one more session of a link may start today. */
export function decideVisit({ usage, starting, now }: VisitInput): VisitDecision {
  const { sessionsAtOnce } = VISITOR_CAPS
  if (usage.active + starting >= sessionsAtOnce) {
    return refuse(
      `This link already has ${sessionsAtOnce} active sessions, the maximum. Try again in a minute.`,
      A_MINUTE,
    )
  }
  return decideByDay({ usage, starting, now })
}

/** Whether a visitor may reconnect to a call, which counts as a start of the link's day. */
export const decideReconnect = ({ usage, now }: Omit<VisitInput, 'starting'>): VisitDecision =>
  decideByDay({ usage, starting: 0, now })

function decideByDay({ usage, starting, now }: VisitInput): VisitDecision {
  const { startsPerDay, microcentsPerDay } = VISITOR_CAPS
  const tomorrow = Math.ceil((findStartOfDay(now) + DAY_MS - now) / 1_000)
  if (usage.started + starting >= startsPerDay) {
    return refuse(`This link has started ${startsPerDay} sessions today, the maximum. ${TOMORROW}`, tomorrow)
  }
  if (usage.microcents >= microcentsPerDay) {
    return refuse(`This link has used up its budget for today. ${TOMORROW}`, tomorrow)
  }
  return { kind: 'allowed' }
}

/** The day of the caps begins at midnight, UTC. */
export const findStartOfDay = (now: number): number => now - (now % DAY_MS)

/** The query for the sessions of a link that count now. */
export const createUsageQuery = (now: number): LinkUsageQuery => ({
  since: new Date(findStartOfDay(now)).toISOString(),
  activeSince: new Date(now - VISITOR_CAPS.idleMs).toISOString(),
})

const DAY_MS = 86_400_000
const A_MINUTE = 60
const TOMORROW = 'Try again after midnight, UTC.'

const refuse = (message: string, retryAfterSeconds: number): VisitDecision => ({
  kind: 'refused',
  message,
  retryAfterSeconds,
})
