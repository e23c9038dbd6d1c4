import type { Json, ToolOutcome } from '@parley/contracts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createStyle } from './style.ts'
import { textWidth } from './text-width.ts'
import { callLine, outcomeLine, refusalLine } from './tool-lines.ts'

const plain = { style: createStyle(false), columns: 40 }
const coloured = { style: createStyle(true), columns: 40, markdown: {} }

test.each<[string, { tool: string; target?: string; input?: Json }, string]>([
  ['what it reaches', { tool: 'read_file', target: 'a.md', input: { path: './a.md' } }, '* read_file a.md'],
  ['its path', { tool: 'read_file', input: { from_line: 1, path: 'a.md' } }, '* read_file a.md'],
  ['what is looked for', { tool: 'search_files', input: { path: 'src', pattern: 'x' } }, '* search_files x'],
  ['all it was given', { tool: 'move', input: { to: [1, 2] } }, '* move {"to":[1,2]}'],
  ['only its tool, given nothing', { tool: 'git_status', input: {} }, '* git_status'],
  ['only its tool, with no more known', { tool: 'git_status' }, '* git_status'],
  ['one line', { tool: 'run\n_x', target: 'a\n\x1b[2Jb' }, '* run␊_x a␊␛[2Jb'],
  [
    'both ends of what is long',
    { tool: 'read_file', target: 'a/very/long/path/to/somewhere/below/notes.md' },
    '* read_file a/very/long/p…elow/notes.md',
  ],
])('a call says %s', (_, call, expected) => {
  expect(callLine(call, plain)).toBe(expected)
})

test('a screen that shows more has a mark for it', () => {
  expect(callLine({ tool: 'read_file', target: 'a.md' }, coloured)).toBe('⏺ \x1b[1mread_file\x1b[22m a.md')
})

const fenced = (text: string) => `[data 0a1b from a.md: text to read]\n${text}\n[end of data 0a1b]`

test.each<[string, ToolOutcome, string]>([
  ['one line', { kind: 'ok', text: 'two files\n' }, '  two files'],
  ['the number of lines', { kind: 'ok', text: 'a\nb\nc\n' }, '  3 lines'],
  ['only that it is done', { kind: 'ok', text: '' }, '  done'],
  ['nothing of a fence', { kind: 'ok', text: fenced('a') }, '  a'],
  ['lines without those of a fence', { kind: 'ok', text: fenced('a\nb') }, '  2 lines'],
  [
    'that there is more',
    { kind: 'ok', text: 'a\nb', whole: `media://sha256-${'0'.repeat(64)}` },
    '  2 lines of a longer text',
  ],
  ['why it failed', { kind: 'failed', code: 'tool_failed', text: '\nNo.\nAt all.' }, '  failed: No.'],
  ['the kind of a failure', { kind: 'failed', code: 'tool_failed', text: '' }, '  failed: tool_failed'],
])('a result says %s', (_, outcome, expected) => {
  expect(outcomeLine(outcome, plain)).toBe(expected)
})

test('failures are red, results dimmed', () => {
  expect(outcomeLine({ kind: 'failed', code: 'tool_failed', text: 'No.' }, coloured)).toContain('\x1b[31m')
  expect(outcomeLine({ kind: 'ok', text: 'Yes.' }, coloured)).toContain('\x1b[2m')
})

test.each([
  ['the policy says why', { by: 'policy', reason: 'Not here.\nMove it.' } as const, '  refused: Not here.'],
  ['a person knows why', { by: 'person', reason: 'The person refused.' } as const, '  refused'],
  ['nothing more may be known', { by: 'grant' } as const, '  refused'],
])('[S13] of a refused call, %s', (_, decided, expected) => {
  expect(refusalLine(decided, plain)).toBe(expected)
})

test('every line fits the screen, whatever is in it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (tool, text) => {
      const lines = [callLine({ tool, target: text }, plain), outcomeLine({ kind: 'ok', text }, plain)]
      for (const line of lines) {
        expect(textWidth(line)).toBeLessThan(40)
        expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u)
      }
    }),
  )
})
