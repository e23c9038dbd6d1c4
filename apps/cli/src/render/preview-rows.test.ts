import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyLetter } from '@parley/contracts/testing'
import { renderFileChange, cutMiddleRows, renderPreview } from './preview-rows.ts'
import { createStyle } from './display.ts'
import { measureText } from './text.ts'

const narrow = { style: createStyle(false), columns: 40, isTerminal: true }
const numbered = (lines: number) =>
  Array.from({ length: lines }, (_, index) => `line ${index + 1}\n`).join('')

test('[S13] a change shows its removed and added lines', () => {
  const input = { path: 'a', old_text: 'low', new_text: 'high\n\nwater\n' }
  expect(renderFileChange({ tool: 'edit_file', input }, narrow)).toEqual([
    '  | -low',
    '  | +high',
    '  | +',
    '  | +water',
  ])
})

test('[S13] a long change shows its start and its end', () => {
  const rows = renderFileChange({ tool: 'write_file', input: { path: 'a', content: numbered(100) } }, narrow)
  expect(rows).toHaveLength(12)
  expect([rows[7], rows[8], rows[11]]).toEqual(['  | +line 8', '  | … 89 lines are omitted', '  | +line 100'])
})

test.each([
  ['another tool', { tool: 'read_file', input: { path: 'a', content: 'x' } }],
  ['no input', { tool: 'write_file' }],
  ['an input of another type', { tool: 'edit_file', input: ['old_text'] }],
  ['an empty file', { tool: 'write_file', input: { path: 'a', content: '' } }],
])('[S13] there is no diff for %s', (_, call) => {
  expect(renderFileChange(call, narrow)).toEqual([])
})

test('[S13] a diff stays short and within the screen, whatever it contains', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyLetter, maxLength: 300 }), (content) => {
      const rows = renderFileChange({ tool: 'write_file', input: { path: 'a', content } }, narrow)
      expect(rows.length).toBeLessThanOrEqual(12)
      for (const row of rows) {
        expect(measureText(row)).toBeLessThan(40)
        expect(row).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u)
      }
    }),
  )
})

const plain = { style: createStyle(false), columns: 40 }
const coloured = { style: createStyle(true), columns: 40, markdown: { links: false } }

const DIFF = `--- a/notes.md
+++ b/notes.md
@@ -1,3 +1,3 @@
 kept
--- gone
+++ come
\\ No newline at end of file
… 12 lines are not shown here …
+more
`

test('[S13] added and removed lines are coloured, headers and hunks dimmed', () => {
  const { dim, bad, good, warn } = coloured.style
  expect(renderPreview({ kind: 'diff', text: DIFF }, coloured)).toEqual(
    [
      dim('--- a/notes.md'),
      dim('+++ b/notes.md'),
      dim('@@ -1,3 +1,3 @@'),
      ' kept',
      bad('--- gone'),
      good('+++ come'),
      dim('\\ No newline at end of file'),
      warn('… 12 lines are not shown here …'),
      good('+more'),
    ].map((row) => dim('│ ') + row),
  )
})

test('without colours the text is the same', () => {
  const lines = DIFF.trimEnd().split('\n')
  expect(renderPreview({ kind: 'diff', text: DIFF }, plain)).toEqual(lines.map((line) => `| ${line}`))
})

test('plain text is not coloured, and tabs are expanded', () => {
  const { dim } = coloured.style
  expect(renderPreview({ kind: 'text', text: '+a\n\tb' }, coloured)).toEqual([
    `${dim('│ ')}+a`,
    `${dim('│ ')}    b`,
  ])
})

test('a long line wraps behind its own bar in the same colour', () => {
  const rows = renderPreview({ kind: 'diff', text: `@@\n+${'x'.repeat(50)}` }, coloured)
  const { dim, good } = coloured.style
  expect(rows.slice(1)).toEqual([dim('│ ') + good(`+${'x'.repeat(36)}`), dim('┊ ') + good('x'.repeat(14))])
})

// oxlint-disable-next-line no-control-regex -- what we write ourselves
const OURS = /\x1b\[\d+m/g

const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\x1b[2J', '\x1b]0;x\x07', '\r', '\b', '\u202e', '\u200b', '\u2028'),
    fc.constantFrom('\n', '\t', '+', '@@', '漢'),
    fc.string({ unit: anyLetter, maxLength: 3 }),
  ),
})

test.each([plain, coloured])(
  '[S13] nothing in a preview controls the terminal or imitates our output',
  (display) => {
    fc.assert(
      fc.property(
        hostile,
        fc.constantFrom('diff' as const, 'text' as const),
        fc.integer({ min: 20, max: 90 }),
        (text, kind, columns) => {
          const rows = renderPreview({ kind, text }, { ...display, columns })
          for (const row of rows.map((styled) => styled.replaceAll(OURS, ''))) {
            expect(row).toMatch(/^[|:│┊] /)
            expect(row).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u200b]/u)
            expect(measureText(row)).toBeLessThan(columns)
          }
        },
      ),
    )
  },
)

test.each([
  [10, 10],
  [11, 10],
  [500, 10],
])('of %i rows at most %i are shown, including the first and the last', (count, most) => {
  const rows = Array.from({ length: count }, (_, index) => `row ${index + 1}`)
  const shown = cutMiddleRows(rows, most, plain).map(stripVTControlCharacters)
  expect(shown).toHaveLength(most)
  expect([shown[0], shown.at(-1)]).toEqual(['row 1', `row ${count}`])
  const left = shown.flatMap((row) => /^\[(\d+) lines are omitted\]$/.exec(row)?.[1] ?? [])
  expect(left).toEqual(count > most ? [String(count - most + 1)] : [])
})
