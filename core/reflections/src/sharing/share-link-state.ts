import { type ShareLink, type ShareLinkState, getShareLinkState } from '@parley/contracts'

export { type ShareLinkState, getShareLinkState }

type ShareLinkFacts = Pick<ShareLink, 'revokedAt' | 'expiresAt' | 'maxUses' | 'uses'>

/** A used-up link starts no session, but the sessions that came by it continue. */
export const keepsSessionsOpen = (link: ShareLinkFacts, now: number): boolean =>
  KEEPS_OPEN[getShareLinkState(link, now)]

const KEEPS_OPEN: Readonly<Record<ShareLinkState, boolean>> = {
  active: true,
  used_up: true,
  expired: false,
  revoked: false,
}
