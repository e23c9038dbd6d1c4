import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createResampler, joinSamples, resample } from './resample.ts'

const RATES = [8_000, 16_000, 22_050, 24_000, 44_100, 48_000]
const anyRate = fc.constantFrom(...RATES)

test('[X2] resampling keeps the duration', () => {
  fc.assert(
    fc.property(anyRate, anyRate, fc.nat(3_000), (from, to, length) => {
      const { samples, sampleRate } = resample({ samples: new Int16Array(length), sampleRate: from }, to)
      expect(sampleRate).toBe(to)
      expect(samples).toHaveLength(Math.ceil((length * to) / from))
    }),
  )
})

test('[X2] resampling in pieces equals resampling the whole', () => {
  fc.assert(
    fc.property(
      anyRate,
      anyRate,
      fc.array(fc.int16Array({ maxLength: 200 }), { maxLength: 8 }),
      (from, to, pieces) => {
        const resampler = createResampler(from, to)
        const given = joinSamples([...pieces.map((piece) => resampler.add(piece)), resampler.end()])
        expect(given).toEqual(resample({ samples: joinSamples(pieces), sampleRate: from }, to).samples)
      },
    ),
  )
})

test.each(RATES)('[X2] a tone keeps its shape from %i Hz to other rates and back', (from) => {
  const samples = createTone(440, from)
  for (const to of RATES) {
    const there = resample({ samples, sampleRate: from }, to)
    expect(measureDifference(there.samples, createTone(440, to), to / 100)).toBeLessThan(200)
    expect(measureDifference(resample(there, from).samples, samples, from / 100)).toBeLessThan(200)
  }
})

test('[X2] frequencies above the lower rate are removed, not aliased', () => {
  const { samples } = resample({ samples: createTone(6_000, 48_000), sampleRate: 48_000 }, 8_000)
  expect(findLoudest(samples.subarray(80, -80))).toBeLessThan(20)
})

test('[X2] the loudest sound is clipped and does not overflow', () => {
  const square = Int16Array.from({ length: 2_000 }, (_, index) => (index % 100 < 50 ? 32_767 : -32_768))
  const { samples } = resample({ samples: square, sampleRate: 16_000 }, 48_000)
  const high = samples.filter((_, index) => index % 300 > 15 && index % 300 < 135)
  expect(Math.min(...high)).toBeGreaterThan(25_000)
})

function createTone(hertz: number, sampleRate: number): Int16Array {
  const turn = (2 * Math.PI * hertz) / sampleRate
  return Int16Array.from({ length: sampleRate / 5 }, (_, index) => 20_000 * Math.sin(turn * index))
}

/** Largest difference, without the edges, where the filter rings. */
function measureDifference(a: Int16Array, b: Int16Array, edge: number): number {
  return findLoudest(a.map((sample, index) => sample - (b[index] ?? 0)).subarray(edge, -edge))
}

const findLoudest = (samples: Int16Array) =>
  samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)
