import type { StoreName } from './stores/place.ts'

/** What the ratio is to be; or, where people wait, what ours is to be whatever the floor is. */
export type Target =
  | { readonly atMost: number }
  | { readonly atLeast: number }
  | { readonly oursBelow: number }

/** One line of the result. One without a target is for information. */
export interface Row {
  readonly case: string
  readonly store?: StoreName
  readonly unit: 'ms' | 'µs' | 'turns/s' | 'pages/s' | 'MB'
  readonly ours: number
  readonly floor: number
  readonly target?: Target
}

export const ratioOf = ({ ours, floor }: Row): number => ours / floor

export function isReached(row: Row, target: Target): boolean {
  if ('oursBelow' in target) return row.ours < target.oursBelow
  return 'atMost' in target ? ratioOf(row) <= target.atMost : ratioOf(row) >= target.atLeast
}
