import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { TranscriptTurn } from '@parley/api-client'
import { type Following, type ScrollPosition, updateFollowing } from './use-follow-end.ts'
import { estimateTurnHeight } from './virtual-transcript.tsx'

const AT = { follows: true, top: 500 }
const AWAY = { follows: false, top: 500 }

test.each<[string, Following, ScrollPosition, boolean]>([
  ['an answer grows faster than it is drawn', AT, { top: 500, toEnd: 900 }, true],
  ['a row turns out taller, and the list moves down a little', AT, { top: 530, toEnd: 200 }, true],
  ['the reader scrolls up by one line', AT, { top: 480, toEnd: 20 }, false],
  ['the reader scrolls up far', AT, { top: 0, toEnd: 500 }, false],
  ['the list becomes shorter at its end', AT, { top: 300, toEnd: 0 }, true],
  ['something grows while the reader is away', AWAY, { top: 500, toEnd: 900 }, false],
  ['something grows while the reader is a line away', AWAY, { top: 500, toEnd: 30 }, false],
  ['the reader scrolls down, but not to the end', AWAY, { top: 700, toEnd: 300 }, false],
  ['the reader scrolls down almost to the end', AWAY, { top: 700, toEnd: 40 }, true],
  ['a zoomed page ends within a pixel', AWAY, { top: 500, toEnd: 1 }, true],
])('%s', (_, before, place, follows) => {
  expect(updateFollowing(before, place)).toEqual({ follows, top: place.top })
})

test('growth alone never stops following the end', () => {
  const grown = fc.array(fc.record({ down: fc.nat(300), toEnd: fc.nat(5_000) }), { maxLength: 40 })
  fc.assert(
    fc.property(grown, (steps) => {
      let now: Following = AT
      for (const { down, toEnd } of steps) now = updateFollowing(now, { top: now.top + down, toEnd })
      expect(now.follows).toBe(true)
    }),
  )
})

const createAnsweredTurn = (...parts: TranscriptTurn['parts']) =>
  estimateTurnHeight({ key: 1, parts, state: 'completed' })

test('a longer answer is estimated taller, by its lines', () => {
  const short = createAnsweredTurn({ kind: 'text', text: 'Yes.' })
  const lines = createAnsweredTurn({ kind: 'text', text: 'Yes.\n\nNo.\nPerhaps.' })
  const long = createAnsweredTurn({ kind: 'text', text: 'word '.repeat(200) })
  expect(short).toBeLessThan(lines)
  expect(lines).toBeLessThan(long)
})

test('a collapsed part counts as one line', () => {
  const folded = createAnsweredTurn({ kind: 'reasoning', text: 'word '.repeat(2_000) })
  expect(folded).toBeLessThan(createAnsweredTurn({ kind: 'text', text: 'word '.repeat(40) }))
})
