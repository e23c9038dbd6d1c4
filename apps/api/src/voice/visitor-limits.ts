import type { AgentSession } from '@parley/contracts'
import type { SessionLimits } from '@parley/engine'
import { type ShareLinkStore, usageToday, VISITOR_CAPS, visitorBudget } from '@parley/reflections'
import { isVisitor } from './visitor-callers.ts'

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
