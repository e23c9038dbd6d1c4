/** Samples in a second of a call, as it is kept and heard. */
export const CALL_RATE = 16_000

/** One side of a call, in seconds: however small its pieces come, it takes no more room than it sounds long. */
export interface SoundTrack {
  write(from: number, samples: Int16Array): void
  /** What was to sound from here on did not. */
  cut(at: number): void
  length(): number
  /** Undefined where nothing sounds in that second. */
  second(place: number): Int16Array | undefined
}

/** Nothing is kept beyond `most` samples. */
export function createSoundTrack(most: number): SoundTrack {
  const seconds = new Map<number, Int16Array>()
  let length = 0

  const secondAt = (place: number): Int16Array => {
    const there = seconds.get(place) ?? new Int16Array(CALL_RATE)
    seconds.set(place, there)
    return there
  }

  return {
    write(from, samples) {
      const end = Math.min(most, from + samples.length)
      for (let at = from; at < end;) {
        const place = Math.floor(at / CALL_RATE)
        const next = Math.min(end, (place + 1) * CALL_RATE)
        secondAt(place).set(samples.subarray(at - from, next - from), at - place * CALL_RATE)
        at = next
      }
      if (samples.length > 0) length = Math.max(length, end)
    },
    cut(at) {
      if (at >= length) return
      length = at
      const last = Math.floor(at / CALL_RATE)
      for (const place of seconds.keys()) if (place > last) seconds.delete(place)
      seconds.get(last)?.fill(0, at - last * CALL_RATE)
    },
    length: () => length,
    second: (place) => seconds.get(place),
  }
}
