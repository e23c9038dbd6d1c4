import {
  Fact,
  FactState,
  Member,
  Patch,
  PatchId,
  PatchStatus,
  PersonId,
  Reflection,
  ReflectionRef,
  Source,
  SourceId,
} from '@parley/contracts'
import { z } from 'zod'

export const PageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(200).optional(),
})

const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item),
    /** Give it as `cursor` to read on; absent at the end. */
    nextCursor: z.string().optional(),
  })

export const ReflectionPage = pageOf(Reflection)
export const SourcePage = pageOf(Source)
export const FactPage = pageOf(Fact)
export const PatchPage = pageOf(Patch)
export const Members = z.object({ items: z.array(Member) })

/** Something that a person did to a reflection. */
export const AuditPage = pageOf(
  z.object({
    who: PersonId,
    what: z.string(),
    target: z.string().optional(),
    at: z.iso.datetime(),
  }),
)

export const FactQuery = PageQuery.extend({ state: FactState.optional() })
export const PatchQuery = PageQuery.extend({ status: PatchStatus.optional() })

export const SourceRef = ReflectionRef.extend({ sourceId: SourceId })
export const PatchRef = ReflectionRef.extend({ patchId: PatchId })
export const MemberRef = ReflectionRef.extend({ personId: PersonId })

/** The same without the keys that are there and undefined. */
export const present = <Query extends object>(query: Query) =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Query]: Exclude<Query[Key], undefined>
  }
