import type { ShareLink } from './share-link.ts'

export type LinkStanding = 'good' | 'used_up' | 'over' | 'revoked'

/** How a link stands at a moment: only a good one lets anybody in. */
export function linkStanding(
  { revokedAt, expiresAt, maxUses, uses }: Pick<ShareLink, 'revokedAt' | 'expiresAt' | 'maxUses' | 'uses'>,
  now: number,
): LinkStanding {
  if (revokedAt !== undefined) return 'revoked'
  if (expiresAt !== undefined && Date.parse(expiresAt) <= now) return 'over'
  return maxUses !== undefined && uses >= maxUses ? 'used_up' : 'good'
}
