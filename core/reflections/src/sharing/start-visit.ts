import {
  PlatformError,
  type SessionId,
  type StartVisit,
  type StartedSession,
  getShareLinkState,
  type ShareLink,
} from '@parley/contracts'
import type { Wait } from '@parley/engine'
import type { ReflectionReader } from '../access/session-role.ts'
import type { ReflectionSessionStore } from '../ports/reflection-session-store.ts'
import type { ShareLinkStore } from '../ports/share-link-store.ts'
import type { ReflectionSessions } from '../sessions/reflection-sessions.ts'
import type { StartRequest } from '../sessions/sessions-host.ts'
import type { CallClient, CallResponses } from '../starting/start-voice-conversation.ts'
import { type StartTime, startInTime } from '../starting/start-session.ts'
import type { ErrorReporter } from '../starting/starting-host.ts'
import { decideVisit, createUsageQuery, createVisitorId } from './visitor-caps.ts'

interface VisitsHost {
  readonly shareLinks: Pick<ShareLinkStore, 'findUsable' | 'find' | 'readUsage'>
  readonly reflections: Pick<ReflectionReader, 'find'>
  readonly sessionRows: Pick<ReflectionSessionStore, 'find' | 'fail'>
  readonly reflectionSessions: Pick<ReflectionSessions, 'startTyped' | 'startVoiceConversation' | 'end'>
  readonly errors: ErrorReporter
  readonly now: () => number
  readonly wait: Wait
  readonly newSecret: () => VisitorSecret
}

/** The secret of one visitor, with its hash and a part of their id that nobody else has. */
interface VisitorSecret {
  readonly token: string
  readonly tokenHash: Uint8Array
  readonly unique: string
}

export interface Visit extends StartVisit {
  /** The hash of the share link's token. */
  readonly linkHash: Uint8Array
  readonly client: CallClient
}

/** The response to a start, with the visitor's token for this one session. */
export type VisitResponse = (StartedSession | CallResponses[CallClient]) & { readonly token: string }

/** Starts sessions of visitors. A start takes one use of the link; a failed start gives it back. */
export function createVisits(host: VisitsHost): (visit: Visit) => Promise<VisitResponse> {
  const starting = new Map<string, number>()

  return (visit) =>
    startInTime(host.wait, async (time) => {
      const link = await time.run((signal) => host.shareLinks.findUsable(visit.linkHash, signal))
      if (!link) throw createInvalidLinkError()
      const ahead = starting.get(link.id) ?? 0
      starting.set(link.id, ahead + 1)
      try {
        await time.run((signal) => refuseOverCaps(link, ahead, host, signal))
        return await startVisit(link, visit, host, time)
      } catch (failure) {
        const isOfLink = failure instanceof PlatformError && failure.code === 'share_link_invalid'
        throw isOfLink ? createInvalidLinkError() : failure
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
  host: VisitsHost,
  signal: AbortSignal,
): Promise<void> {
  const now = host.now()
  const usage = await host.shareLinks.readUsage(link.id, createUsageQuery(now), signal)
  const decision = decideVisit({ usage, starting, now })
  if (decision.kind === 'allowed') return
  const { message, retryAfterSeconds } = decision
  throw new PlatformError('rate_limited', { message, retryAfterSeconds })
}

async function startVisit(
  link: ShareLink,
  { channel, transport, client }: Visit,
  host: VisitsHost,
  time: StartTime,
): Promise<VisitResponse> {
  const reflection = await time.run((signal) => host.reflections.find(link.reflectionId, signal))
  if (!reflection) throw createInvalidLinkError()
  const { token, tokenHash, unique } = host.newSecret()
  const request: StartRequest = {
    reflection,
    personId: createVisitorId(unique),
    role: 'guest',
    audience: 'public',
    hints: { roomPrefix: 'share' },
    offRecord: false,
    transport,
    visitor: { link, tokenHash },
  }
  const started =
    channel === 'voice'
      ? await host.reflectionSessions.startVoiceConversation(request, client, time)
      : await host.reflectionSessions.startTyped(request, time)
  await refuseRevoked(link, started.sessionId, host, time)
  return { ...started, token }
}

/** A revocation during the start did not find this session among the active ones. */
async function refuseRevoked(
  link: ShareLink,
  sessionId: SessionId,
  { shareLinks, sessionRows, reflectionSessions, errors, now }: VisitsHost,
  time: StartTime,
): Promise<void> {
  const current = await time
    .run((signal) => shareLinks.find(link.id, signal))
    .catch((failure: unknown) => {
      // The visitor never gets the token of this session.
      sessionRows
        .fail(sessionId, 'run_timeout')
        .catch((cause: unknown) => errors.capture(cause, { sessionId, code: 'internal' }))
      throw failure
    })
  if (current && getShareLinkState(current, now()) !== 'revoked') return
  const session = await sessionRows.find(sessionId)
  if (session) await reflectionSessions.end(session)
  throw createInvalidLinkError()
}

/** The visitor of a session, by the hash of its token. */
export async function findVisitor(
  tokenHash: Uint8Array,
  { sessionRows }: { readonly sessionRows: Pick<ReflectionSessionStore, 'findByVisitor'> },
) {
  const visit = await sessionRows.findByVisitor(tokenHash)
  if (!visit) return undefined
  const { personId, sessionId, status, failure } = visit
  const over = status === 'ended' && {
    over: failure === 'unpublished' ? ('unpublished' as const) : ('ended' as const),
  }
  return { personId, role: 'guest' as const, label: 'a visitor', sessionId, ...over }
}

/** The same error for every problem with a link, so that guessing tokens reveals nothing. */
export const createInvalidLinkError = () =>
  new PlatformError('share_link_invalid', {
    message: 'This link is invalid or no longer works. Ask the person who gave it to you for a new one.',
  })
