import { z } from 'zod'
import { FactId, SourceId } from './ids.ts'
import { Fact, FactState } from './knowledge.ts'
import { pageOf, PageQuery } from './page.ts'
import { NamespaceName, ReflectionRef } from './reflection.ts'

/** `time` is when something was so, latest first, with what has no date at the end; `added` is when it was learned. */
export const FactOrder = z.enum(['added', 'time', 'subject'])
export type FactOrder = z.infer<typeof FactOrder>

/** What counts, waits or was rejected; or what counted until something took its place. */
export const FactChoice = z.enum([...FactState.options, 'superseded'])
export type FactChoice = z.infer<typeof FactChoice>

export const FactQuery = PageQuery.extend({
  state: FactChoice.optional(),
  namespace: NamespaceName.optional(),
  /** What a source said; of those that count also what bears out another. */
  sourceId: SourceId.optional(),
  /** Words, or beginnings and middles of them, that all stand in the fact's sentence. */
  search: z.string().trim().max(200).optional(),
  order: FactOrder.optional(),
  /** In place of a cursor: how many to leave out, for a part from the middle of a long list. */
  after: z.coerce.number().int().min(0).max(10_000_000).optional(),
})
export type FactQuery = z.infer<typeof FactQuery>

export const FactPage = pageOf(Fact).extend({
  /** How many there are in all; told with `after`. */
  count: z.int().min(0).optional(),
})

export const FactRef = ReflectionRef.extend({ factId: FactId })

/** A fact with all that it took the place of, and all that took its place; the earliest first. */
export const FactHistory = z.object({ items: z.array(Fact) })
