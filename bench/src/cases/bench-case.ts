import type { MeasureRound } from '../medians.ts'
import type { BenchRow } from '../row.ts'
import type { OpenPlace } from '../stores/open-place.ts'

export interface Bench {
  /** A temporary folder of this run. */
  readonly folder: string
  readonly medians: <Name extends string>(
    systems: Readonly<Record<Name, MeasureRound>>,
  ) => Promise<Record<Name, number>>
  /** Prints a note about the result. */
  readonly note: (text: string) => void
}

export type StoreBench = Bench & OpenPlace

/** With a migrated Postgres of this run. */
export type PostgresBench = Bench & { readonly databaseUrl: string }

/** A case of the table: measured on each store, on Postgres only, or once without a store. */
export type BenchCase = { readonly name: string; readonly what: string } & (
  | { readonly on: 'each store'; readonly measure: (bench: StoreBench) => Promise<readonly BenchRow[]> }
  | { readonly on: 'postgres'; readonly measure: (bench: PostgresBench) => Promise<readonly BenchRow[]> }
  | { readonly on: 'no store'; readonly measure: (bench: Bench) => Promise<readonly BenchRow[]> }
)
