export interface BucketOptions {
  /** How often at once. */
  readonly most: number
  readonly perSecond: number
  readonly clock?: { now(): number }
}

/** Says for each key whether it may once more: so often at once, and then as often as it fills up again. */
export function tokenBuckets({ most, perSecond, clock = performance }: BucketOptions) {
  const buckets = new Map<string, Bucket>()
  const filled = ({ left, at }: Bucket, now: number) => Math.min(most, left + ((now - at) / 1000) * perSecond)
  return (key: string): boolean => {
    const now = clock.now()
    const left = filled(buckets.get(key) ?? { left: most, at: now }, now)
    if (buckets.size >= MOST_KEYS) {
      // A full one is like none.
      for (const [other, bucket] of buckets) if (filled(bucket, now) >= most) buckets.delete(other)
    }
    buckets.set(key, { left: left < 1 ? left : left - 1, at: now })
    return left >= 1
  }
}

interface Bucket {
  readonly left: number
  readonly at: number
}

const MOST_KEYS = 10_000
