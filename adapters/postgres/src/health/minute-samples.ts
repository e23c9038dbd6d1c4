/** The kinds of samples. */
export type SampleKind = 'request' | 'turn' | 'session' | 'cost' | 'retrieval' | 'model'

/** The sum of one process for one label in one minute. */
export interface HealthSample {
  /** The start of the minute, in ISO 8601. */
  readonly at: string
  readonly what: SampleKind
  readonly label: string
  readonly count: number
  readonly sum: number
  readonly spread?: Spread
}

const MINUTE_MS = 60_000
/** More labels than any server has routes or models; beyond that, callers invent them. */
const MAX_LABELS = 500
const MAX_LABEL_LENGTH = 300

/** Sums by minute. A minute is kept until it is over and written. */
export function createMinuteSamples(now: () => number) {
  let samples = new Map<string, HealthSample>()

  const minute = () => new Date(Math.floor(now() / MINUTE_MS) * MINUTE_MS).toISOString()

  const add = (what: SampleKind, name: string, change: (before: HealthSample) => HealthSample) => {
    const at = minute()
    const label = name.slice(0, MAX_LABEL_LENGTH)
    const key = JSON.stringify([at, what, label])
    const before = samples.get(key)
    if (!before && samples.size >= MAX_LABELS) return
    samples.set(key, change(before ?? { at, what, label, count: 0, sum: 0 }))
  }

  return {
    count(what: SampleKind, label: string, amount = 0) {
      add(what, label, (before) => ({ ...before, count: before.count + 1, sum: before.sum + amount }))
    },
    time(what: SampleKind, label: string, ms: number) {
      add(what, label, (before) => ({
        ...before,
        count: before.count + 1,
        sum: before.sum + ms,
        spread: addDuration(before.spread ?? EMPTY_SPREAD, ms),
      }))
    },
    all: (): readonly HealthSample[] => [...samples.values()],
    /** Forgets written samples of past minutes, unless they have changed. */
    forgetWritten(written: readonly HealthSample[]) {
      const current = minute()
      const done = new Set(written.filter(({ at }) => at !== current))
      samples = new Map([...samples].filter(([, sample]) => !done.has(sample)))
    },
  }
}

/** The upper bounds of a spread's parts, in milliseconds; the last part has none. */
export const BOUNDS_MS = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000] as const

/** Counts by duration: one for each bound, and one beyond. */
export type Spread = readonly number[]

export const EMPTY_SPREAD: Spread = Array.from({ length: BOUNDS_MS.length + 1 }, () => 0)

export function addDuration(spread: Spread, ms: number): Spread {
  const bounded = BOUNDS_MS.findIndex((bound) => ms <= bound)
  const part = bounded === -1 ? BOUNDS_MS.length : bounded
  return spread.map((count, index) => (index === part ? count + 1 : count))
}

export const addSpreads = (one: Spread, other: Spread): Spread =>
  one.map((count, index) => count + (other[index] ?? 0))

/** The quantile of the durations, assuming evenly filled parts; undefined without samples. */
export function estimateQuantileMs(spread: Spread, share: number): number | undefined {
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
