import { type LinkStanding, linkStanding, type ShareLink } from '@parley/contracts'

export type ShareLinkState = LinkStanding

/** Whether a link works at a moment, or why not. Only a good one starts a session. */
export const shareLinkState: (link: ShareLinkFacts, now: number) => ShareLinkState = linkStanding

type ShareLinkFacts = Pick<ShareLink, 'revokedAt' | 'expiresAt' | 'maxUses' | 'uses'>

/** A used-up link starts no session, but the sessions that came by it continue. */
export const keepsSessionsOpen = (link: ShareLinkFacts, now: number): boolean =>
  KEEPS_OPEN[shareLinkState(link, now)]

const KEEPS_OPEN: Readonly<Record<ShareLinkState, boolean>> = {
  good: true,
  used_up: true,
  over: false,
  revoked: false,
}
