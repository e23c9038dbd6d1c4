/** How loud the room is while nobody speaks. */
export interface NoiseFloor {
  /** Takes the next frame's level and says the floor as it is now, both in decibels of full scale. */
  add(level: number): number
}

// Even someone who speaks without a pause is nearly silent for a moment within this time.
const BUCKETS = 10
const BUCKET_MS = 250
// A room that was not heard yet is at most this loud, so that someone who speaks at once is heard at once.
const ASSUMED = -45
const QUIETEST = -70

/** The quietest frame of the last seconds. */
export function createNoiseFloor(frameMs: number): NoiseFloor {
  const quietest: number[] = Array.from({ length: BUCKETS }, () => ASSUMED)
  const framesInBucket = Math.round(BUCKET_MS / frameMs)
  let frames = 0
  return {
    add(level) {
      if (frames % framesInBucket === 0) {
        quietest.shift()
        quietest.push(level)
      }
      frames += 1
      quietest[BUCKETS - 1] = Math.min(level, quietest[BUCKETS - 1] ?? level)
      return Math.max(QUIETEST, Math.min(...quietest))
    },
  }
}
