import { type LookAtVariables, PlatformError, type ReflectionId } from '@parley/contracts'
import type { ShareLink } from '@parley/reflections'
import type { Services } from '../services.ts'

/** What no session is, and what to leave out. */
export function refuseUnfitting({ audience, channel, surface, agent, linkId }: LookAtVariables): void {
  const unfitting = [
    ...(audience === 'public' && surface ? ['surface: the public has one of its own; leave it out.'] : []),
    ...(audience === 'public' && agent === 'generic' ? ['agent: the public never meets a generic one.'] : []),
    ...(channel === 'text' && agent === 'generic'
      ? ['agent: a typed session runs on the promoted pack; leave it out, or look at a spoken one.']
      : []),
    ...(audience === 'private' && linkId !== undefined
      ? ['linkId: who comes by a link is the public; ask for the audience public.']
      : []),
  ]
  if (unfitting.length > 0) throw new PlatformError('validation', { message: unfitting.join(' ') })
}

/** The link that a visitor would come by. */
export async function linkOf(
  { linkId }: LookAtVariables,
  reflectionId: ReflectionId,
  { shareLinks }: Pick<Services, 'shareLinks'>,
): Promise<ShareLink | undefined> {
  if (linkId === undefined) return undefined
  const link = await shareLinks.find(linkId)
  if (link?.reflectionId !== reflectionId) {
    throw new PlatformError('not_found', {
      message: `There is no share link ${linkId} of this reflection. GET …/share-links lists them.`,
    })
  }
  const over = whyOver(link)
  if (over === undefined) return link
  throw new PlatformError('share_link_invalid', { message: `Nobody comes in by this link: it is ${over}.` })
}

function whyOver({ revokedAt, expiresAt, maxUses, uses }: ShareLink): string | undefined {
  if (revokedAt !== undefined) return 'revoked'
  if (expiresAt !== undefined && Date.parse(expiresAt) <= Date.now()) return 'over'
  return maxUses !== undefined && uses >= maxUses ? 'used up' : undefined
}
