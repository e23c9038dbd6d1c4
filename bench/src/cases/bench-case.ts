import type { MeasureRound } from '../medians.ts'
import type { BenchRow } from '../row.ts'
import type { OpenPlace } from '../stores/open-place.ts'

export interface Bench {
  /** A folder of the run's own. */
  readonly folder: string
  readonly medians: <Name extends string>(
    systems: Readonly<Record<Name, MeasureRound>>,
  ) => Promise<Record<Name, number>>
  /** Tells in a sentence what a reader of the result must know. */
  readonly note: (text: string) => void
}

export type StoreBench = Bench & OpenPlace

/** A migrated Postgres of the run's own. */
export type PostgresBench = Bench & { readonly databaseUrl: string }

/** A case of the table: measured on each store, on Postgres alone, or once where no store has a part in it. */
export type BenchCase = { readonly name: string; readonly what: string } & (
  | { readonly on: 'each store'; readonly measure: (bench: StoreBench) => Promise<readonly BenchRow[]> }
  | { readonly on: 'postgres'; readonly measure: (bench: PostgresBench) => Promise<readonly BenchRow[]> }
  | { readonly on: 'no store'; readonly measure: (bench: Bench) => Promise<readonly BenchRow[]> }
)
