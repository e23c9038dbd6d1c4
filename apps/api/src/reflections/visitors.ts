import { randomBytes } from 'node:crypto'
import {
  type AgentSession,
  type MobileSessionResponse,
  type PersonId,
  PlatformError,
  type SessionId,
  type StartVisit,
  type StartedSession,
  type VoiceSessionResponse,
} from '@parley/contracts'
import type { SessionLimits } from '@parley/engine'
import type { Database } from '@parley/postgres'
import {
  type ShareLink,
  type ShareLinkStore,
  type StartRequest,
  type StartTime,
  VISITOR_CAPS,
  decideVisit,
  inTime,
  shareLinkState,
  usageToday,
  visitorBudget,
} from '@parley/reflections'
import type { FindCaller } from '../auth/authenticate.ts'
import { hashToken } from '../auth/hash-token.ts'
import type { Services } from '../services.ts'
import { tokenBuckets } from '../token-buckets.ts'
import { reflectionSessionsOf, wait } from './reflection-sessions.ts'

/** People by their tokens; and visitors by theirs, while their session is on and their link good, or to be told why not. */
export function findCallerIn({
  tokens,
  reflectionSessions,
}: Pick<Database, 'tokens' | 'reflectionSessions'>): FindCaller {
  return async (tokenHash) => {
    const person = await tokens.find(tokenHash)
    if (person) return person
    const visit = await reflectionSessions.findByVisitor(tokenHash)
    if (!visit) return undefined
    const { personId, sessionId, failure } = visit
    const over = failure === 'unpublished' && { over: 'unpublished' as const }
    return { personId, role: 'guest', label: 'a visitor', sessionId, ...over }
  }
}

/** Told from others by its form, so that who is no visitor costs no question. */
const PREFIX = 'per_guest'

/** Somebody for one session. */
export const newVisitor = () => `${PREFIX}${randomBytes(12).toString('hex')}` as PersonId

export const isVisitor = (personId: PersonId): boolean => personId.startsWith(PREFIX)

/** What holds for the turns of visitors: few of them, within what is left of their link's day. */
export function visitorLimits(shareLinks: Pick<ShareLinkStore, 'ofSession' | 'usage'>) {
  return ({ id, ownerId }: Pick<AgentSession, 'id' | 'ownerId'>) =>
    isVisitor(ownerId) ? limitsOf(id, shareLinks) : undefined
}

async function limitsOf(
  sessionId: AgentSession['id'],
  shareLinks: Pick<ShareLinkStore, 'ofSession' | 'usage'>,
): Promise<Partial<SessionLimits>> {
  const visit = await shareLinks.ofSession(sessionId)
  const maxTurns = VISITOR_CAPS.turnsPerSession
  if (!visit) return { maxTurns, maxCostMicrocents: 0, onExceed: 'fail' }
  const usage = await shareLinks.usage(visit.linkId, usageToday(Date.now()))
  return { maxTurns, maxCostMicrocents: visitorBudget(usage, visit), onExceed: 'fail' }
}

interface Visit extends StartVisit {
  /** Of the link. */
  readonly token: string
  readonly shape: 'web' | 'mobile'
}

type StartedVisit = (VoiceSessionResponse | MobileSessionResponse | StartedSession) & {
  /** The visitor's, for this one session. */
  readonly token: string
}

/** How often one link is tried, whether it is one or not. */
const TRIES = { most: 120, perSecond: 2 }

/** Starts sessions of visitors. A use is taken with the row of the session, and given back where it does not start. */
export function createVisits(services: Services): (visit: Visit) => Promise<StartedVisit> {
  const mayTry = tokenBuckets(TRIES)
  const starting = new Map<string, number>()

  return (visit) =>
    inTime(wait, async (time) => {
      const tokenHash = hashToken(visit.token)
      if (!mayTry(tokenHash.toString('hex'))) throw tooOften()
      const link = await time.within((signal) => services.shareLinks.look(tokenHash, signal))
      if (!link) throw noSuchLink()
      const ahead = starting.get(link.id) ?? 0
      starting.set(link.id, ahead + 1)
      try {
        await time.within((signal) => refuseOverCaps(link, ahead, services, signal))
        return await start(link, visit, services, time)
      } catch (failure) {
        const isOfLink = failure instanceof PlatformError && failure.code === 'share_link_invalid'
        throw isOfLink ? noSuchLink() : failure
      } finally {
        const left = (starting.get(link.id) ?? 1) - 1
        if (left > 0) starting.set(link.id, left)
        else starting.delete(link.id)
      }
    })
}

async function refuseOverCaps(
  link: ShareLink,
  starting: number,
  services: Services,
  signal: AbortSignal,
): Promise<void> {
  const now = services.now()
  const usage = await services.shareLinks.usage(link.id, usageToday(now), signal)
  const decision = decideVisit({ usage, starting, now })
  if (decision.kind === 'allowed') return
  const { message, retryAfterSeconds } = decision
  throw new PlatformError('rate_limited', { message, retryAfterSeconds })
}

async function start(
  link: ShareLink,
  visit: Visit,
  services: Services,
  time: StartTime,
): Promise<StartedVisit> {
  const { channel, transport, shape } = visit
  const reflection = await time.within((signal) => services.reflections.find(link.reflectionId, signal))
  if (!reflection) throw noSuchLink()
  const token = `vis_${randomBytes(32).toString('base64url')}`
  const request: StartRequest = {
    reflection,
    personId: newVisitor(),
    role: 'guest',
    audience: 'public',
    hints: { roomPrefix: 'share' },
    offRecord: false,
    transport,
    visitor: { link, tokenHash: hashToken(token) },
  }
  const kind = channel === 'voice' ? shape : 'text'
  const started = await reflectionSessionsOf(services).start(request, kind, time)
  await refuseRevoked(link, started.sessionId, services, time)
  return { ...started, token }
}

/** Whoever revoked the link while the session started did not find it among those that were on. */
async function refuseRevoked(
  link: ShareLink,
  sessionId: SessionId,
  services: Services,
  time: StartTime,
): Promise<void> {
  const { shareLinks, reflectionSessions, errors } = services
  const now = await time
    .within((signal) => shareLinks.find(link.id, signal))
    .catch((failure: unknown) => {
      // Nobody gets the token of this session.
      reflectionSessions
        .fail(sessionId, 'run_timeout')
        .catch((cause: unknown) => errors.capture(cause, { sessionId, code: 'internal' }))
      throw failure
    })
  if (now && shareLinkState(now, services.now()) !== 'revoked') return
  const session = await reflectionSessions.find(sessionId)
  if (session) await reflectionSessionsOf(services).end(session)
  throw noSuchLink()
}

/** One answer for all that is wrong with a link: who tries one learns nothing. */
export const noSuchLink = () =>
  new PlatformError('share_link_invalid', {
    message: 'This link does not work, or no longer. Ask whoever gave it to you for a new one.',
  })

const tooOften = () =>
  new PlatformError('rate_limited', {
    message: `A link is tried ${TRIES.most} times at once, and then ${TRIES.perSecond} times a second. Wait a little.`,
  })
