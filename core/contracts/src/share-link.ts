import { z } from 'zod'
import { LinkId, ReflectionId } from './ids.ts'
import { NamespaceName } from './reflection.ts'
import { Channel } from './session.ts'
import { Transport } from './start-session.ts'
import { strictObject } from './strict-object.ts'

/** Admits anybody who has its token, to the namespaces that are published at that moment. */
export const ShareLink = z.object({
  id: LinkId,
  reflectionId: ReflectionId,
  /** If absent: everything that is published. */
  namespaces: z.array(NamespaceName).optional(),
  /** The published ones of these; with none, nobody can enter. */
  reaches: z.array(NamespaceName),
  maxUses: z.int().positive().optional(),
  uses: z.int().min(0),
  expiresAt: z.iso.datetime().optional(),
  revokedAt: z.iso.datetime().optional(),
  createdAt: z.iso.datetime(),
})
export type ShareLink = z.infer<typeof ShareLink>

export type ShareLinkState = 'active' | 'used_up' | 'expired' | 'revoked'

type ShareLinkFacts = Pick<ShareLink, 'revokedAt' | 'expiresAt' | 'maxUses' | 'uses'>

/** The state of a link at a moment. Only an active link starts sessions. */
export function getShareLinkState(
  { revokedAt, expiresAt, maxUses, uses }: ShareLinkFacts,
  now: number,
): ShareLinkState {
  if (revokedAt !== undefined) return 'revoked'
  if (expiresAt !== undefined && Date.parse(expiresAt) <= now) return 'expired'
  return maxUses !== undefined && uses >= maxUses ? 'used_up' : 'active'
}

/** A used-up link starts no session, but the sessions that came by it continue. */
export const keepsSessionsOpen = (link: ShareLinkFacts, now: number): boolean =>
  ['active', 'used_up'].includes(getShareLinkState(link, now))

export const CreateShareLink = strictObject({
  namespaces: z.array(NamespaceName).min(1).max(100).optional(),
  maxUses: z.int().min(1).max(1_000_000).optional(),
  expiresAt: z.iso.datetime({ offset: true }).optional(),
})
export type CreateShareLink = z.infer<typeof CreateShareLink>

export const CreatedShareLink = ShareLink.extend({
  /** Shown only once: the server stores its hash. */
  token: z.string(),
  url: z.string(),
})
export type CreatedShareLink = z.infer<typeof CreatedShareLink>

export const ShareLinkList = z.object({ items: z.array(ShareLink) })

/** Shown to a visitor before the session starts. */
export const SharedReflection = z.object({
  displayName: z.string(),
  channels: z.array(Channel),
  /** Whether a session would start now. */
  isReady: z.boolean(),
  /** Whether anything that the link reaches is published; otherwise no session starts. */
  isPublic: z.boolean(),
  /** Whether visitors' conversations may be learned from; they are stored either way. */
  isLearnedFrom: z.boolean(),
})
export type SharedReflection = z.infer<typeof SharedReflection>

export const StartVisit = strictObject({
  channel: Channel.default('text'),
  /** For `voice`. */
  transport: Transport.default('websocket'),
})
export type StartVisit = z.infer<typeof StartVisit>

/** Whether a URL works only on the machine that opens it. */
export const isLocalUrl = (url: string): boolean =>
  /^https?:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?([/?#]|$)/i.test(url)

/** Shown with every such link. */
export const LOCAL_LINK_NOTE =
  'This link works on this machine only. To give it to others, set PARLEY_PUBLIC_URL to the address at which they reach this server, and restart the server.'
