import {
  CONVERSATIONS,
  type PersonId,
  PlatformError,
  type ReflectionId,
  type ShareLink,
} from '@parley/contracts'
import type { Sessions } from '@parley/engine'
import type { NewShareLink, ShareLinkStore } from '../ports/share-link-store.ts'
import type { ReflectionSessions } from '../sessions/reflection-sessions.ts'
import type { WarningLog } from '../sessions/sessions-host.ts'

interface CreateHost {
  readonly shareLinks: Pick<ShareLinkStore, 'create'>
  readonly now: () => number
}

/** Throws if the link would reach confidential conversations or would be expired already. */
export async function createShareLink(
  { expiresAt, ...link }: NewShareLink,
  by: PersonId,
  { shareLinks, now }: CreateHost,
): Promise<ShareLink> {
  if (link.namespaces?.includes(CONVERSATIONS)) {
    throw new PlatformError('namespace_reserved', {
      message: `namespaces: ${CONVERSATIONS} holds confidential conversations and is never published, so a link cannot reach it. Leave it out.`,
    })
  }
  return shareLinks.create(
    { ...link, ...(expiresAt !== undefined && { expiresAt: toFutureTime(expiresAt, now()) }) },
    by,
  )
}

/** The time in UTC. */
function toFutureTime(requested: string, now: number): string {
  const at = Date.parse(requested)
  if (at > now) return new Date(at).toISOString()
  throw new PlatformError('validation', { message: 'expiresAt: must be in the future.' })
}

interface RevokeHost {
  readonly shareLinks: Pick<ShareLinkStore, 'revoke'>
  readonly sessions: Pick<Sessions, 'cancel'>
  readonly logger: WarningLog
  readonly reflectionSessions: Pick<ReflectionSessions, 'hangUp'>
}

/** Revokes a link. Its visitors lose access with that; their running turns and calls are stopped to save cost. */
export async function revokeShareLink(
  reflectionId: ReflectionId,
  linkId: string,
  by: PersonId,
  { shareLinks, sessions, logger, reflectionSessions }: RevokeHost,
): Promise<void> {
  const active = await shareLinks.revoke(reflectionId, linkId, by)
  if (!active) throw createNoShareLinkError(linkId)
  const cancelled = await Promise.allSettled(active.map((sessionId) => sessions.cancel(sessionId)))
  for (const outcome of cancelled) {
    if (outcome.status === 'rejected') {
      logger.warn({ err: outcome.reason, linkId }, 'a turn of a visitor is still running')
    }
  }
  await reflectionSessions.hangUp(active)
}

export const createNoShareLinkError = (linkId: string) =>
  new PlatformError('not_found', {
    message: `There is no share link ${linkId} of this reflection. GET …/share-links lists them.`,
  })
