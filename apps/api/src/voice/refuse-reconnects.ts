import { PlatformError } from '@parley/contracts'
import { decideReconnect, type ReflectionSession, VISITOR_CAPS } from '@parley/reflections'
import type { Services } from '../services.ts'
import { today } from './visitor-limits.ts'

/** How often a member connects to one call anew: more than any bad line asks for. */
const MOST_OF_MEMBER = 20

/** Counts one more connection of a session, whatever comes of it. Throws where there were as many as may be. */
export async function refuseReconnects(
  { sessionId, shareLinkId }: ReflectionSession,
  { shareLinks, reflectionSessions }: Pick<Services, 'shareLinks' | 'reflectionSessions'>,
): Promise<void> {
  if (shareLinkId !== undefined) {
    const usage = await shareLinks.usage(shareLinkId, today())
    const decision = decideReconnect({ usage, now: Date.now() })
    if (decision.kind === 'refused') {
      const { message, retryAfterSeconds } = decision
      throw new PlatformError('rate_limited', { message, retryAfterSeconds })
    }
  }
  const most = shareLinkId === undefined ? MOST_OF_MEMBER : VISITOR_CAPS.reconnectsPerSession
  if (await reflectionSessions.takeReconnect(sessionId, most)) return
  throw new PlatformError('rate_limited', {
    sessionId,
    message: `This session was connected anew ${most} times, which is the most. It is not connected again: end it, and start another one.`,
  })
}
