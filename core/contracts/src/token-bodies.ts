import { z } from 'zod'
import { PersonId, ReflectionId } from './ids.ts'
import { pageOf } from './page.ts'
import { Role } from './role.ts'
import { strictObject } from './strict-object.ts'

export const CreateToken = strictObject({
  label: z.string().trim().min(1).max(200),
  role: Role,
  /** Of which the person becomes a member, in the same role. */
  reflectionId: ReflectionId.optional(),
  expiresAt: z.iso.datetime({ offset: true }).optional(),
})

export type CreateToken = z.infer<typeof CreateToken>

export const CreatedToken = z.object({
  tokenId: z.string(),
  /** Shown this once: only its hash is kept. */
  token: z.string(),
  personId: PersonId,
  label: z.string(),
  role: Role,
  expiresAt: z.iso.datetime(),
})

export type CreatedToken = z.infer<typeof CreatedToken>

export const TokenPage = pageOf(
  CreatedToken.omit({ token: true }).extend({
    expiresAt: z.iso.datetime().optional(),
    createdAt: z.iso.datetime(),
  }),
)

export type TokenPage = z.infer<typeof TokenPage>

export const TokenRef = z.object({
  tokenId: z.string().regex(/^tok_[a-z0-9]{1,60}$/, 'a token id starts with tok_'),
})
