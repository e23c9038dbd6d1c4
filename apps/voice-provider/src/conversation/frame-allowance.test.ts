import { expect, test } from 'vitest'
import { createFrameAllowance } from './frame-allowance.ts'

test.each([
  ['a thousand frames a second for an hour', 1_000, 3_600, true],
  ['two thousand frames a second for a minute', 2_000, 60, true],
  ['three thousand frames a second for a minute', 3_000, 60, false],
  ['twenty thousand at once', 20_000, 1, true],
  ['thirty thousand at once', 30_000, 1, false],
])('[X2] whether a client may send %s', (_, frames, seconds, may) => {
  let time = 0
  const isAllowed = createFrameAllowance(() => time)
  let refused = 0
  for (let second = 0; second < seconds; second += 1) {
    for (let frame = 0; frame < frames; frame += 1) if (!isAllowed()) refused += 1
    time += 1_000
  }
  expect(refused === 0).toBe(may)
})
