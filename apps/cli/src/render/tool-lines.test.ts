import type { Json, ToolOutcome } from '@parley/contracts'
import { anyLetter } from '@parley/contracts/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createStyle } from './screen-look.ts'
import { textWidth } from './text.ts'
import { callLine, outcomeLines, refusalLines, resultLines, runningLine } from './tool-lines.ts'

const plain = { style: createStyle(false), columns: 40 }
const coloured = { style: createStyle(true), columns: 40, markdown: {} }

test.each<[string, { tool: string; target?: string; input?: Json }, string]>([
  ['what it reaches', { tool: 'read_file', target: 'a.md', input: { path: './a.md' } }, '* read_file a.md'],
  ['its path', { tool: 'read_file', input: { from_line: 1, path: 'a.md' } }, '* read_file a.md'],
  ['what is looked for', { tool: 'search_files', input: { path: 'src', pattern: 'x' } }, '* search_files x'],
  [
    'what is looked for, not where',
    { tool: 'search_files', target: '.', input: { pattern: 'tide' } },
    '* search_files tide',
  ],
  [
    'the question',
    { tool: 'web_search', target: 's.example', input: { query: 'tides' } },
    '* web_search tides',
  ],
  [
    'how, and the whole address',
    { tool: 'http_request', target: 'GET https://a.example', input: { url: 'https://a.example/b' } },
    '* http_request GET https://a.example/b',
  ],
  ['a server and its tool', { tool: 'mcp_call', input: { server: 'a', tool: 'b' } }, '* mcp_call a/b'],
  ['a server alone', { tool: 'mcp_call', target: 'a', input: { server: 'a' } }, '* mcp_call a'],
  [
    'what a commit says first',
    { tool: 'git_commit', input: { message: 'Rise\n\nHigh' } },
    '* git_commit Rise',
  ],
  ['a name that every object has', { tool: 'constructor', target: 'x' }, '* constructor x'],
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

const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}`).join('\n')

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
  [
    'why it failed',
    { kind: 'failed', code: 'tool_failed', text: '\nNo.\n\nAt\tall.' },
    '  failed: No.\n  At    all.',
  ],
  [
    'the end of a failure that is long',
    { kind: 'failed', code: 'tool_failed', text: fenced(`exit code 1\n${numbered(9)}`) },
    `  failed: exit code 1\n  [3 lines omitted]\n${numbered(9)
      .replaceAll(/^/gm, '  ')
      .slice(-6 * 9 + 1)}`,
  ],
  [
    'all of a refusal',
    { kind: 'failed', code: 'tool_denied', text: 'The path leads out of the folder. Move it there.' },
    '  refused: The path leads out of the\n  folder. Move it there.',
  ],
  ['the kind of a failure', { kind: 'failed', code: 'tool_failed', text: '' }, '  failed: tool_failed'],
])('a result says %s', (_, outcome, expected) => {
  expect(outcomeLines(outcome, plain).join('\n')).toBe(expected)
})

test('failures are red, results dimmed', () => {
  expect(outcomeLines({ kind: 'failed', code: 'tool_failed', text: 'No.' }, coloured)[0]).toContain(
    '\x1b[31m',
  )
  expect(outcomeLines({ kind: 'ok', text: 'Yes.' }, coloured)[0]).toContain('\x1b[2m')
})

test.each([
  [
    'the policy says why',
    { by: 'policy', reason: 'Not here.\nMove it.' } as const,
    '  refused: Not here.\n  Move it.',
  ],
  ['a person knows why', { by: 'person', reason: 'The person refused.' } as const, '  refused'],
  ['nothing more may be known', { by: 'grant' } as const, '  refused'],
])('[S13] of a refused call, %s', (_, decided, expected) => {
  expect(refusalLines(decided, plain).join('\n')).toBe(expected)
})

test('every line fits the screen, whatever is in it', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyLetter }), fc.string({ unit: anyLetter }), (tool, text) => {
      const failed = { kind: 'failed', code: 'tool_failed', text } as const
      const lines = [
        callLine({ tool, target: text }, plain),
        runningLine({ tool, target: text }, 12, plain),
        ...outcomeLines({ kind: 'ok', text }, plain),
        ...outcomeLines(failed, plain),
        ...resultLines(failed, plain),
        ...refusalLines({ by: 'policy', reason: text }, plain),
      ]
      for (const line of lines) {
        expect(textWidth(line)).toBeLessThan(40)
        expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u)
      }
    }),
  )
})

test('a line that is very long does not fill the screen', () => {
  const text = `exit code 1\n${'x'.repeat(50_000)}`
  expect(outcomeLines({ kind: 'failed', code: 'tool_failed', text }, plain).length).toBeLessThan(6)
})

test.each([
  [60, '* run_command npm test … 12 s  Ctrl-C stops it'],
  [40, '* run_command npm test … 12 s'],
  [30, '* run_command npm test … 12 s'],
])('in %d columns a call that runs says for how long', (columns, expected) => {
  expect(runningLine({ tool: 'run_command', target: 'npm test' }, 12, { ...plain, columns })).toBe(expected)
})

test('a result is given whole to who asks for it, without its fence', () => {
  expect(resultLines({ kind: 'ok', text: fenced(numbered(9)) }, plain)).toHaveLength(9)
  expect(resultLines({ kind: 'failed', code: 'tool_denied', text: 'No.' }, plain)).toEqual([
    '  refused:',
    '  No.',
  ])
})
