/** Up to how many milliseconds each part of a spread counts; the last part has no bound. */
export const BOUNDS_MS = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000] as const

/** How many took how long, by the bounds. */
export type Spread = readonly number[]

export const NOTHING_TIMED: Spread = Array.from({ length: BOUNDS_MS.length + 1 }, () => 0)

export function withTime(spread: Spread, ms: number): Spread {
  const found = BOUNDS_MS.findIndex((bound) => ms <= bound)
  const part = found === -1 ? BOUNDS_MS.length : found
  return spread.map((count, index) => (index === part ? count + 1 : count))
}

export const addSpreads = (one: Spread, other: Spread): Spread =>
  one.map((count, index) => count + (other[index] ?? 0))

/** The time that this share of all stayed within, as if each part were evenly filled; undefined where nothing was timed. */
export function withinMs(spread: Spread, share: number): number | undefined {
  const all = spread.reduce((sum, count) => sum + count, 0)
  if (all === 0) return undefined
  let left = all * share
  for (const [part, count] of spread.entries()) {
    if (count >= left && count > 0) {
      const low = BOUNDS_MS[part - 1] ?? 0
      const high = BOUNDS_MS[part] ?? low
      return low + (high - low) * (left / count)
    }
    left -= count
  }
  return BOUNDS_MS.at(-1)
}
