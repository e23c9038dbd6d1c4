import type { Dates } from './dates-in.ts'
import type { Predicate } from './predicates.ts'

/** A fact as a sentence says it. */
export interface Said {
  readonly subject: string
  readonly predicate: Predicate
  readonly object: string
  readonly statement: string
  readonly confidence: number
  readonly dates?: Dates | undefined
}
