export interface RateLimit {
  /** The number of requests at once. */
  readonly most: number
  readonly perSecond: number
  readonly clock?: { now(): number }
}

/** A token bucket for each key: returns whether the key may send another request. */
export function createRateLimiter({ most, perSecond, clock = performance }: RateLimit) {
  const buckets = new Map<string, Bucket>()
  const filled = ({ left, at }: Bucket, now: number) => Math.min(most, left + ((now - at) / 1000) * perSecond)
  return (key: string): boolean => {
    const now = clock.now()
    const left = filled(buckets.get(key) ?? { left: most, at: now }, now)
    if (buckets.size >= MAX_KEYS) {
      // A full bucket is the same as none.
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

const MAX_KEYS = 10_000
