import { createResampler, encodeWav } from '@parley/speech'

/** Sample rate of recordings and recognition. */
export const CALL_RATE = 16_000

/** One side of a call, stored in blocks of one second, so memory depends only on its length. */
interface SoundTrack {
  write(from: number, samples: Int16Array): void
  /** Removes all sound from this position on. */
  cut(at: number): void
  length(): number
  /** Undefined for a silent second. */
  second(index: number): Int16Array | undefined
}

/** Stores at most `most` samples. */
function createSoundTrack(most: number): SoundTrack {
  const seconds = new Map<number, Int16Array>()
  let length = 0

  const getOrAddSecond = (index: number): Int16Array => {
    const there = seconds.get(index) ?? new Int16Array(CALL_RATE)
    seconds.set(index, there)
    return there
  }

  return {
    write(from, samples) {
      const end = Math.min(most, from + samples.length)
      for (let at = from; at < end;) {
        const index = Math.floor(at / CALL_RATE)
        const next = Math.min(end, (index + 1) * CALL_RATE)
        getOrAddSecond(index).set(samples.subarray(at - from, next - from), at - index * CALL_RATE)
        at = next
      }
      if (samples.length > 0) length = Math.max(length, end)
    },
    cut(at) {
      if (at >= length) return
      length = at
      const last = Math.floor(at / CALL_RATE)
      for (const index of seconds.keys()) if (index > last) seconds.delete(index)
      seconds.get(last)?.fill(0, at - last * CALL_RATE)
    },
    length: () => length,
    second: (index) => seconds.get(index),
  }
}

/** Records both sides of a call. */
export interface CallAudio {
  /** Sound from the client, ending now. */
  heard(samples: Int16Array, at: number): void
  /** Sound that the client plays from `startsAt` on. */
  spoken(samples: Int16Array, sampleRate: number, startsAt: number): void
  /** Removes the agent's sound from this time on. */
  silence(at: number): void
  has(): { readonly user: boolean; readonly agent: boolean }
  wav(): Uint8Array | undefined
}

/** The first ten minutes of a call are recorded. */
const MAX_SAMPLES = 600 * CALL_RATE

export function createCallAudio(startedAt: number): CallAudio {
  const user = createSoundTrack(MAX_SAMPLES)
  const agent = createSoundTrack(MAX_SAMPLES)
  const toSamplePosition = (at: number) => Math.max(0, Math.round(((at - startedAt) / 1_000) * CALL_RATE))

  return {
    heard: (samples, at) =>
      user.write(Math.max(user.length(), toSamplePosition(at) - samples.length), samples),
    spoken(samples, sampleRate, startsAt) {
      const from = toSamplePosition(startsAt)
      const resampler = createResampler(sampleRate, CALL_RATE)
      const beginning = resampler.add(samples)
      agent.write(from, beginning)
      agent.write(from + beginning.length, resampler.end())
    },
    silence: (at) => agent.cut(toSamplePosition(at)),
    has: () => ({ user: user.length() > 0, agent: agent.length() > 0 }),
    wav() {
      const length = Math.max(user.length(), agent.length())
      if (length === 0) return undefined
      return encodeWav({ samples: mixTracks(user, agent, length), sampleRate: CALL_RATE })
    },
  }
}

const LOUDEST = 32_767

/** Adds both tracks. If the sum exceeds the range, the whole recording gets quieter, because clipping crackles. */
function mixTracks(one: SoundTrack, other: SoundTrack, length: number): Int16Array {
  let peak = LOUDEST
  visitSums(one, other, length, (sum) => {
    peak = Math.max(peak, Math.abs(sum))
  })
  const mixed = new Int16Array(length)
  visitSums(one, other, length, (sum, at) => {
    mixed[at] = Math.round((sum * LOUDEST) / peak)
  })
  return mixed
}

function visitSums(
  one: SoundTrack,
  other: SoundTrack,
  length: number,
  visit: (sum: number, at: number) => void,
): void {
  for (let begin = 0; begin < length; begin += CALL_RATE) {
    const [first, second] = [one.second(begin / CALL_RATE), other.second(begin / CALL_RATE)]
    const end = Math.min(CALL_RATE, length - begin)
    if (first || second)
      for (let at = 0; at < end; at += 1) visit((first?.[at] ?? 0) + (second?.[at] ?? 0), begin + at)
  }
}
