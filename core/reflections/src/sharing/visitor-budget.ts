import type { LinkUsage, VisitorSession } from '../ports/share-link-store.ts'
import { VISITOR_CAPS } from './visitor-caps.ts'

/** What a visitor's session may cost in all: what it has, and its share of what is left of the link's day. */
export function visitorBudget(usage: LinkUsage, { microcents }: Pick<VisitorSession, 'microcents'>): number {
  const left = Math.max(0, VISITOR_CAPS.microcentsPerDay - usage.microcents)
  return microcents + Math.floor(left / Math.max(1, usage.active))
}
