import type { Sound } from '../ports/speech.ts'

/** The same sound at another rate. */
export function resample(sound: Sound, sampleRate: number): Sound {
  if (sound.sampleRate === sampleRate) return sound
  const resampler = createResampler(sound.sampleRate, sampleRate)
  return { samples: joinSamples([resampler.add(sound.samples), resampler.end()]), sampleRate }
}

/** Resamples a stream: the joined output equals the whole sound resampled at once. */
export interface Resampler {
  add(samples: Int16Array): Int16Array
  /** Returns the remaining samples. The resampler cannot be used afterwards. */
  end(): Int16Array
}

export function createResampler(from: number, to: number): Resampler {
  if (from === to) return { add: (samples) => samples, end: () => new Int16Array() }
  const { phases, reach } = createLowPass(from, to)
  const divisor = greatestCommonDivisor(from, to)
  const up = to / divisor
  const down = from / divisor

  // Start with silence, because the first filters reach back before the first sample.
  let buffer: Int16Array = new Int16Array(reach)
  let bufferStart = -reach
  let received = 0
  let produced = 0

  const produceUntil = (count: number): Int16Array => {
    const out = new Int16Array(Math.max(0, count - produced))
    for (const index of out.keys()) {
      const position = (produced + index) * down
      const center = Math.floor(position / up)
      out[index] = applyTaps(buffer, center - reach + 1 - bufferStart, phases[position % up] ?? NO_PHASE)
    }
    produced += out.length
    const keepFrom = Math.max(bufferStart, Math.floor((produced * down) / up) - reach + 1)
    buffer = buffer.slice(keepFrom - bufferStart)
    bufferStart = keepFrom
    return out
  }

  return {
    add(samples) {
      buffer = joinSamples([buffer, samples])
      received += samples.length
      // Only output samples whose filters have all their input.
      return produceUntil(Math.ceil(((received - reach) * up) / down))
    },
    end() {
      buffer = joinSamples([buffer, new Int16Array(reach)])
      return produceUntil(Math.ceil((received * up) / down))
    },
  }
}

export function joinSamples(parts: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

const ZERO_CROSSINGS = 12
const NO_PHASE = new Float64Array()

/** One windowed sinc for each position of an output sample between two input samples. */
function createLowPass(from: number, to: number): { phases: readonly Float64Array[]; reach: number } {
  // A little below half of the lower rate, where the filter must be fully closed.
  const cutoff = 0.94 * Math.min(1, to / from)
  const reach = Math.ceil(ZERO_CROSSINGS / cutoff)
  const up = to / greatestCommonDivisor(from, to)
  const phases = Array.from({ length: up }, (_, phase) => {
    const taps = Float64Array.from({ length: 2 * reach }, (_tap, index) => {
      const distance = index - reach + 1 - phase / up
      return sinc(distance * cutoff) * blackmanWindow(distance / reach)
    })
    const sum = taps.reduce((total, tap) => total + tap, 0)
    return taps.map((tap) => tap / sum)
  })
  return { phases, reach }
}

function applyTaps(samples: Int16Array, start: number, taps: Float64Array): number {
  let sum = 0
  for (let tap = 0; tap < taps.length; tap++) sum += (samples[start + tap] ?? 0) * (taps[tap] ?? 0)
  return Math.max(-32_768, Math.min(32_767, Math.round(sum)))
}

const sinc = (x: number) => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x))

/** The Blackman window from −1 to 1. */
const blackmanWindow = (x: number) =>
  Math.abs(x) >= 1 ? 0 : 0.42 + 0.5 * Math.cos(Math.PI * x) + 0.08 * Math.cos(2 * Math.PI * x)

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b)
}
