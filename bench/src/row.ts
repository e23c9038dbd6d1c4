import type { StoreName } from './stores/place.ts'

/** Required ratio to the floor; or, where people wait, the required value of ours. */
export type RowTarget =
  | { readonly atMost: number }
  | { readonly atLeast: number }
  | { readonly oursBelow: number }

/** One line of the result. Rows without a target are for information. */
export interface BenchRow {
  readonly case: string
  readonly store?: StoreName
  readonly unit: 'ms' | 'µs' | 'turns/s' | 'pages/s' | 'MB'
  readonly ours: number
  readonly floor: number
  readonly target?: RowTarget
}

export const computeRatio = ({ ours, floor }: BenchRow): number => ours / floor

export function isReached(row: BenchRow, target: RowTarget): boolean {
  if ('oursBelow' in target) return row.ours < target.oursBelow
  return 'atMost' in target ? computeRatio(row) <= target.atMost : computeRatio(row) >= target.atLeast
}
