import fc from 'fast-check'
import { expect, test } from 'vitest'
import { measureText } from '../render/text.ts'
import { layOut } from './screen.ts'

const screen = { columns: 12, height: 4 }
const atEnd = (text: string) => ({ text, cursor: text.length })

test.each([
  ['an empty prompt', atEnd(''), ['› '], [0, 2]],
  ['a short line', atEnd('hello'), ['› hello'], [0, 7]],
  ['a long line wraps', atEnd('hello there you'), ['› hello the', '  re you'], [1, 8]],
  ['a full row gives the cursor a new row', atEnd('123456789'), ['› 123456789', '  '], [1, 2]],
  ['wide characters are not split', atEnd('漢字漢字漢'), ['› 漢字漢字', '  漢'], [1, 4]],
  ['several lines', { text: 'ab\ncd', cursor: 1 }, ['› ab', '  cd'], [0, 3]],
  ['control characters become visible', atEnd('a\x1b[2Jb'), ['› a␛[2Jb'], [0, 8]],
  ['a tab is four columns', atEnd('a\tb'), ['› a    b'], [0, 8]],
])('%s', (_, line, rows, [row, column]) => {
  expect(layOut(line, screen)).toEqual({ rows, cursorRow: row, cursorColumn: column })
})

test('for a long text, the rows around the cursor are shown', () => {
  const text = Array.from({ length: 50 }, (_, index) => `line ${index}`).join('\n')
  expect(layOut(atEnd(text), screen).rows).toEqual(['  line 46', '  line 47', '  line 48', '  line 49'])
  expect(layOut({ text, cursor: 0 }, screen)).toMatchObject({
    cursorRow: 0,
    rows: { 0: '› line 0', length: 4 },
  })
})

test.each([0, 5_000, 123_456, 299_999])(
  'for a very long line, the part around place %i is shown',
  (cursor) => {
    const text = Array.from({ length: 30_000 }, (_, index) => String(index).padStart(10, '.')).join('')
    const { rows, cursorRow, cursorColumn } = layOut({ text, cursor }, { columns: 40, height: 5 })
    const row = rows[cursorRow] ?? ''
    expect(rows).toHaveLength(5)
    expect(text.slice(0, cursor).endsWith(row.slice(2, cursorColumn))).toBe(true)
    expect(text.slice(cursor).startsWith(row.slice(cursorColumn))).toBe(true)
  },
)

test('every row is narrower than the screen, and the cursor is on it', () => {
  const text = fc.string({ unit: fc.constantFrom('a', ' ', '漢', '😀', '\n', '\t', '\x1b', 'e\u0301') })
  fc.assert(
    fc.property(text, fc.nat(), fc.integer({ min: 8, max: 30 }), (written, place, columns) => {
      const { rows, cursorRow, cursorColumn } = layOut(
        { text: written, cursor: place % (written.length + 1) },
        { columns, height: 5 },
      )
      expect(rows.length).toBeLessThanOrEqual(5)
      for (const row of rows) expect(measureText(row)).toBeLessThan(columns)
      expect(cursorRow).toBeLessThan(rows.length)
      expect(cursorColumn).toBeLessThan(columns)
    }),
  )
})
