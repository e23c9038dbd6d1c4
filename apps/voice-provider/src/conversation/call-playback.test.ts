import fc from 'fast-check'
import { expect, test } from 'vitest'
import { getHeardText, type SpokenPiece } from './call-playback.ts'

const PIECES: readonly SpokenPiece[] = [
  { written: 'One two three. ', startsAt: 1_000, endsAt: 2_000 },
  { written: 'Four five.', startsAt: 2_000, endsAt: 3_000 },
]

test.each([
  [500, ''],
  [1_000, ''],
  [1_150, ''],
  [1_250, 'One'],
  [1_600, 'One two'],
  [2_000, 'One two three.'],
  [2_450, 'One two three. Four'],
  [2_999, 'One two three. Four'],
  [3_000, 'One two three. Four five.'],
  [9_000, 'One two three. Four five.'],
])('[X2] by %d, "%s" was heard', (now, heard) => {
  expect(getHeardText(PIECES, now)).toBe(heard)
})

test('[X2] the heard text is a prefix of the answer and never gets shorter', () => {
  const piece = fc.record({ written: fc.string(), lasts: fc.integer({ min: 0, max: 5_000 }) })
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), fc.nat(20_000), fc.nat(5_000), (given, now, later) => {
      let at = 0
      const pieces = given.map(({ written, lasts }) => ({ written, startsAt: at, endsAt: (at += lasts) }))
      const said = given.map(({ written }) => written).join('')
      const heard = getHeardText(pieces, now)
      expect(said.startsWith(heard)).toBe(true)
      expect(getHeardText(pieces, now + later).length).toBeGreaterThanOrEqual(heard.length)
    }),
  )
})
