import { z } from 'zod'
import { ReflectionId } from './ids.ts'
import { NamespaceName, ReflectionRef } from './reflection.ts'
import { Channel } from './session.ts'
import { strictObject } from './strict-object.ts'
import { Transport } from './voice-bodies.ts'

export const LinkId = z.string().regex(/^lnk_[a-z0-9]{1,60}$/, 'the id of a link starts with lnk_')

/** What lets anybody in who has its token. What it reaches is never more than what is published at that moment. */
export const ShareLink = z.object({
  id: LinkId,
  reflectionId: ReflectionId,
  /** Absent: all that is published. */
  namespaces: z.array(NamespaceName).optional(),
  /** What of these is published now: where nothing is, nobody gets in. */
  reaches: z.array(NamespaceName),
  maxUses: z.int().positive().optional(),
  uses: z.int().min(0),
  expiresAt: z.iso.datetime().optional(),
  revokedAt: z.iso.datetime().optional(),
  createdAt: z.iso.datetime(),
})
export type ShareLink = z.infer<typeof ShareLink>

export const CreateShareLink = strictObject({
  namespaces: z.array(NamespaceName).min(1).max(100).optional(),
  maxUses: z.int().min(1).max(1_000_000).optional(),
  expiresAt: z.iso.datetime({ offset: true }).optional(),
})
export type CreateShareLink = z.infer<typeof CreateShareLink>

export const CreatedShareLink = ShareLink.extend({
  /** Shown this once: only its hash is kept. */
  token: z.string(),
  url: z.string(),
})
export type CreatedShareLink = z.infer<typeof CreatedShareLink>

export const ShareLinkList = z.object({ items: z.array(ShareLink) })
export const ShareLinkRef = ReflectionRef.extend({ linkId: LinkId })

/** Whatever is said to be a token; whether it is one is not told apart from whether it still is. */
export const ShareTokenRef = z.object({ token: z.string().min(1).max(200) })

/** What a visitor is told before they begin. */
export const SharedReflection = z.object({
  displayName: z.string(),
  channels: z.array(Channel),
  /** Whether a session would start now. */
  isReady: z.boolean(),
  /** Whether anything is published that the link reaches; where nothing is, no session starts until something is. */
  isPublic: z.boolean(),
  /** Whether what visitors say may be learned from; it is kept either way. */
  isLearnedFrom: z.boolean(),
})
export type SharedReflection = z.infer<typeof SharedReflection>

export const StartVisit = strictObject({
  channel: Channel.default('text'),
  /** Of a spoken one. */
  transport: Transport.default('websocket'),
})
export type StartVisit = z.infer<typeof StartVisit>
