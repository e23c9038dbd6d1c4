import type { ShareLink } from '@parley/contracts'

/** How often a link was used, of how often it may be. */
export function usesInWords({ uses, maxUses }: Pick<ShareLink, 'uses' | 'maxUses'>): string {
  if (maxUses !== undefined) return `used ${uses} of ${maxUses} times`
  if (uses === 0) return 'not used yet'
  return uses === 1 ? 'used once' : `used ${uses} times`
}
