import { expect, test } from 'vitest'
import { decodeWav } from '@parley/speech'
import { CALL_RATE, createCallAudio } from './call-audio.ts'

const createSound = (seconds: number, value: number) => new Int16Array(seconds * CALL_RATE).fill(value)
const at = (wav: Uint8Array | undefined, seconds: number) =>
  decodeWav(wav ?? new Uint8Array()).samples[Math.round(seconds * CALL_RATE)]

test('[X2] both sides are recorded at their time and mixed', () => {
  const audio = createCallAudio(10_000)
  audio.heard(createSound(1, 100), 12_000)
  audio.spoken(createSound(2, 30), CALL_RATE, 11_500)
  const wav = audio.wav()
  expect([0.5, 1.2, 1.7, 2.5].map((second) => at(wav, second))).toEqual([0, 100, 130, 30])
})

test('[X2] cancelled speech is not recorded', () => {
  const audio = createCallAudio(0)
  audio.spoken(createSound(3, 30), CALL_RATE, 0)
  audio.silence(1_000)
  expect(decodeWav(audio.wav() ?? new Uint8Array()).samples).toHaveLength(CALL_RATE)
})

test('[X2] sound that arrives at once is recorded in order', () => {
  const audio = createCallAudio(0)
  audio.heard(createSound(1, 1), 0)
  audio.heard(createSound(1, 2), 0)
  expect([0.5, 1.5].map((second) => at(audio.wav(), second))).toEqual([1, 2])
})

test('[X2] a silent call has no recording, and a long one is limited', () => {
  const audio = createCallAudio(0)
  expect(audio.wav()).toBeUndefined()
  for (let minute = 0; minute < 12; minute += 1) audio.heard(createSound(60, 1), 0)
  expect(decodeWav(audio.wav() ?? new Uint8Array()).samples).toHaveLength(600 * CALL_RATE)
})

test('[X2] two loud sides make the recording quieter instead of clipping', () => {
  const audio = createCallAudio(0)
  audio.heard(createSound(2, 30_000), 2_000)
  audio.spoken(createSound(1, 20_000), CALL_RATE, 1_000)
  const wav = audio.wav()
  const [alone = 0, together = 0] = [0.5, 1.5].map((second) => at(wav, second))
  expect(together).toBe(32_767)
  expect(alone / together).toBeCloseTo(30_000 / 50_000, 3)
})

test('[X2] a second of sound uses the same memory in one piece and in thousands', () => {
  const pieces = createCallAudio(0)
  const before = process.memoryUsage().heapUsed
  const piece = createSound(1, 0)
  for (let place = 0; place < 200_000; place += 1) pieces.heard(piece.subarray(0, 0), 0)
  expect(pieces.has()).toEqual({ user: false, agent: false })
  for (let place = 0; place < CALL_RATE; place += 1) pieces.heard(Int16Array.of(place), 0)
  expect(decodeWav(pieces.wav() ?? new Uint8Array()).samples).toEqual(
    Int16Array.from({ length: CALL_RATE }, (_, place) => place),
  )
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(50_000_000)
})
