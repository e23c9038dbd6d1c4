import { anyLetter } from '@parley/contracts/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { changeRows } from './change-rows.ts'
import { createStyle } from './style.ts'
import { textWidth } from './text-width.ts'

const look = { style: createStyle(false), columns: 40, isTerminal: true }
const text = (lines: number) => Array.from({ length: lines }, (_, index) => `line ${index + 1}\n`).join('')

test('[S13] a change is told by the lines that went and the lines that came', () => {
  const input = { path: 'a', old_text: 'low', new_text: 'high\n\nwater\n' }
  expect(changeRows({ tool: 'edit_file', input }, look)).toEqual([
    '  | -low',
    '  | +high',
    '  | +',
    '  | +water',
  ])
})

test('[S13] of a long one the beginning and the end', () => {
  const rows = changeRows({ tool: 'write_file', input: { path: 'a', content: text(100) } }, look)
  expect(rows).toHaveLength(12)
  expect([rows[7], rows[8], rows[11]]).toEqual([
    '  | +line 8',
    '  | … 89 lines are left out here',
    '  | +line 100',
  ])
})

test.each([
  ['another tool', { tool: 'read_file', input: { path: 'a', content: 'x' } }],
  ['no input', { tool: 'write_file' }],
  ['an input of another kind', { tool: 'edit_file', input: ['old_text'] }],
  ['an empty file', { tool: 'write_file', input: { path: 'a', content: '' } }],
])('[S13] there is nothing to tell of %s', (_, call) => {
  expect(changeRows(call, look)).toEqual([])
})

test('[S13] it stays short and within the screen, whatever is in it', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyLetter, maxLength: 300 }), (content) => {
      const rows = changeRows({ tool: 'write_file', input: { path: 'a', content } }, look)
      expect(rows.length).toBeLessThanOrEqual(12)
      for (const row of rows) {
        expect(textWidth(row)).toBeLessThan(40)
        expect(row).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u)
      }
    }),
  )
})
