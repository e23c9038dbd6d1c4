import { z } from 'zod'
import { PersonId, ReflectionId } from './ids.ts'
import { pageOf } from './page.ts'
import { PersonName } from './person-name.ts'
import { MemberNamespaces } from './reflection.ts'
import { Role } from './role.ts'
import { strictObject } from './strict-object.ts'

export const CreateToken = strictObject({
  label: PersonName,
  role: Role,
  /** Of which the person becomes a member, in this role; on the server they are a viewer then. A guest is no member. */
  reflectionId: ReflectionId.optional(),
  /** Of the reflection, which the person reads; all of them where absent. */
  namespaces: MemberNamespaces.optional(),
  expiresAt: z.iso.datetime({ offset: true }).optional(),
  /** The `sub` of JWTs that this person comes with, in place of a token. */
  subject: z.string().min(1).max(500).optional(),
})

export type CreateToken = z.infer<typeof CreateToken>

export const CreatedToken = z.object({
  id: z.string(),
  /** The same. */
  tokenId: z.string(),
  /** Shown this once: only its hash is kept. Absent for who comes with JWTs. */
  token: z.string().optional(),
  personId: PersonId,
  label: z.string(),
  /** On the reflection that it was made for; on the server where it was made for none. */
  role: Role,
  reflectionId: ReflectionId.optional(),
  /** Which of its private namespaces the person reads. */
  namespaces: MemberNamespaces.optional(),
  expiresAt: z.iso.datetime(),
})

export type CreatedToken = z.infer<typeof CreatedToken>

export const TokenPage = pageOf(
  CreatedToken.omit({ token: true, namespaces: true }).extend({
    expiresAt: z.iso.datetime().optional(),
    createdAt: z.iso.datetime(),
    /** Of who was invited to a reflection. */
    isInvited: z.literal(true).optional(),
  }),
)

export type TokenPage = z.infer<typeof TokenPage>

export const TokenRef = z.object({
  tokenId: z.string().regex(/^tok_[a-z0-9]{1,60}$/, 'a token id starts with tok_'),
})
