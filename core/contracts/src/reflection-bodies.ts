import { z } from 'zod'
import { PatchId, PersonId, ReflectionId, SourceId } from './ids.ts'
import { Patch, PatchStatus, Source } from './knowledge.ts'
import { pageOf, PageQuery } from './page.ts'
import { Member, NamespaceName, Reflection, ReflectionRef } from './reflection.ts'
import { strictObject } from './strict-object.ts'

export const ReflectionPage = pageOf(Reflection)
export const SourcePage = pageOf(Source)
export const PatchPage = pageOf(Patch)
export const MemberList = z.object({ items: z.array(Member) })

/** What people did to a reflection, or on a server. */
export const AuditPage = pageOf(
  z.object({
    who: PersonId,
    what: z.string(),
    target: z.string().optional(),
    /** Of a server: to which reflection, if to one. */
    reflectionId: ReflectionId.optional(),
    at: z.iso.datetime(),
  }),
)
export type AuditPage = z.infer<typeof AuditPage>

export const PatchQuery = PageQuery.extend({ status: PatchStatus.optional() })

export const SourceRef = ReflectionRef.extend({ sourceId: SourceId })
export const PatchRef = ReflectionRef.extend({ patchId: PatchId })
/** Under which id a correction will wait for a person. */
export const CorrectionAccepted = z.object({ patchId: PatchId })
export type CorrectionAccepted = z.infer<typeof CorrectionAccepted>

export const MemberRef = ReflectionRef.extend({ personId: PersonId })

export const AskReflection = strictObject({
  query: z.string().trim().min(1).max(2_000),
  namespaces: z.array(NamespaceName).max(100).optional(),
  limit: z.int().min(1).max(50).default(8),
  /** For `public` only what anybody would find of it now. */
  audience: z.enum(['private', 'public']).default('private'),
})
export type AskReflection = z.input<typeof AskReflection>
