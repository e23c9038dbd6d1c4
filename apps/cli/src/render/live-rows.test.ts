import fc from 'fast-check'
import { expect, test } from 'vitest'
import { screenAfter } from '../testing/terminal.ts'
import { createLiveRows } from './live-rows.ts'

const screen = { columns: 40, rows: 30 }

test('growing text is only appended', () => {
  const live = createLiveRows(screen)
  expect(live.update([], ['one'])).toBe('one')
  expect(live.update([], ['one two'])).toBe(' two')
  expect(live.update([], ['one two', 'three'])).toBe('\r\nthree')
  expect(live.update(['one two'], ['three'])).toBe('')
  expect(live.update(['three'], [])).toBe('\r\n')
  expect(live.update([], [])).toBe('')
})

test('after any updates, the screen shows the finished rows and the others below them', () => {
  const row = fc.constantFrom('', 'a', 'ab', 'abc', 'b', 'ba', 'x y')
  const step = fc.record({ finished: fc.array(row, { maxLength: 3 }), rest: fc.array(row, { maxLength: 4 }) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const live = createLiveRows(screen)
      let written = ''
      const finished: string[] = []
      let rest: readonly string[] = []
      for (const next of steps) {
        // Unfinished rows are finished before they disappear.
        const done = next.finished.length === 0 && next.rest.length === 0 ? rest : next.finished
        written += live.update(done, next.rest)
        finished.push(...done)
        rest = next.rest
        const expected = rest.length === 0 && finished.length > 0 ? [...finished, ''] : [...finished, ...rest]
        expect(screenAfter(written).lines).toEqual(expected.length === 0 ? [''] : expected)
      }
    }),
  )
})

test('no more rows are redrawn than the screen has', () => {
  const live = createLiveRows({ columns: 40, rows: 5 })
  const rows = Array.from({ length: 20 }, (_, index) => `row ${index}`)
  expect(live.update([], rows)).toBe(['row 16', 'row 17', 'row 18', 'row 19'].join('\r\n'))
  const written = live.update([], [...rows, 'row 20'])
  expect(written).toContain('\x1b[3A')
  // oxlint-disable-next-line no-control-regex -- what we write ourselves
  expect(live.update([...rows, 'row 20'], [])).toMatch(/^\x1b\[3A\rrow 0[^]*row 20[^]*\r\n$/)
})

test('rows wrapped by a narrower terminal are counted as wrapped', () => {
  const narrowing = { columns: 40, rows: 30 }
  const live = createLiveRows(narrowing)
  live.update([], ['x'.repeat(30), 'y'])
  narrowing.columns = 20
  expect(live.update([], ['z'])).toBe('\x1b[2A\rz\x1b[K\x1b[J')
})

test('a terminal of unknown size gets default dimensions', () => {
  const live = createLiveRows({ columns: 0, rows: 0 })
  live.update([], ['one'])
  expect(live.update([], ['two'])).toBe('\rtwo\x1b[K')
})
