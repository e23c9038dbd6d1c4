import { z } from 'zod'
import { Role } from './access.ts'
import { PersonId, ReflectionId } from './ids.ts'
import { createPageSchema } from './page.ts'
import { MemberNamespaces } from './reflection.ts'
import { strictObject } from './strict-object.ts'
import { PersonName } from './text.ts'

export const Me = z.object({
  personId: PersonId,
  role: Role,
  label: z.string(),
  /** Invited to a reflection: the person reaches their reflections, and no agent of the server. */
  isInvited: z.literal(true).optional(),
  /** The model of sessions that name no agent. */
  defaultModel: z.object({ provider: z.string(), model: z.string() }).optional(),
})
export type Me = z.infer<typeof Me>

/** A person's console settings, the same in every browser. */
export const MySettings = strictObject({
  /** The tour is shown once. */
  tour: z.enum(['due', 'skipped', 'done']),
})
export type MySettings = z.infer<typeof MySettings>

/** A browser sends its token once; afterwards a cookie identifies it. */
export const SignIn = strictObject({ token: z.string().trim().min(8).max(512) })
export type SignIn = z.infer<typeof SignIn>

export const CreateToken = strictObject({
  label: PersonName,
  role: Role,
  /** Makes the person a member of this reflection in this role, and a viewer of the server. Not for guests. */
  reflectionId: ReflectionId.optional(),
  /** The namespaces of the reflection that the person reads; all if absent. */
  namespaces: MemberNamespaces.optional(),
  expiresAt: z.iso.datetime({ offset: true }).optional(),
  /** The `sub` of the person's JWTs, which replace the token. */
  subject: z.string().min(1).max(500).optional(),
})
  .refine(({ namespaces, reflectionId }) => namespaces === undefined || reflectionId !== undefined, {
    path: ['namespaces'],
    error: 'needs the reflectionId of the reflection that has them',
  })
  .refine(({ role, reflectionId }) => role !== 'guest' || reflectionId === undefined, {
    path: ['reflectionId'],
    error: 'leave it out: a guest is no member of a reflection',
  })
export type CreateToken = z.infer<typeof CreateToken>

export const CreatedToken = z.object({
  id: z.string(),
  /** The same as `id`. */
  tokenId: z.string(),
  /** Shown only once: the server stores its hash. Absent for a person with JWTs. */
  token: z.string().optional(),
  personId: PersonId,
  label: z.string(),
  /** On the reflection if the token is for one, otherwise on the server. */
  role: Role,
  reflectionId: ReflectionId.optional(),
  /** The private namespaces of the reflection that the person reads. */
  namespaces: MemberNamespaces.optional(),
  expiresAt: z.iso.datetime(),
})
export type CreatedToken = z.infer<typeof CreatedToken>

export const TokenPage = createPageSchema(
  CreatedToken.omit({ token: true, namespaces: true }).extend({
    expiresAt: z.iso.datetime().optional(),
    createdAt: z.iso.datetime(),
    /** For a person who was invited to a reflection. */
    isInvited: z.literal(true).optional(),
  }),
)
export type TokenPage = z.infer<typeof TokenPage>

/** People's actions on a reflection or a server. */
export const AuditPage = createPageSchema(
  z.object({
    who: PersonId,
    what: z.string(),
    target: z.string().optional(),
    /** In a server's list: the reflection of the action, if any. */
    reflectionId: ReflectionId.optional(),
    at: z.iso.datetime(),
  }),
)
export type AuditPage = z.infer<typeof AuditPage>
