import type { Json, ToolOutcome } from '@parley/contracts'
import { anyLetter } from '@parley/contracts/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createStyle } from './display.ts'
import { measureText } from './text.ts'
import {
  renderCall,
  renderOutcome,
  renderRefusal,
  renderFullResult,
  renderRunningCall,
} from './tool-lines.ts'

const plain = { style: createStyle(false), columns: 40 }
const coloured = { style: createStyle(true), columns: 40, markdown: {} }

test.each<[string, { tool: string; target?: string; input?: Json }, string]>([
  ['its target', { tool: 'read_file', target: 'a.md', input: { path: './a.md' } }, '* read_file a.md'],
  ['its path', { tool: 'read_file', input: { from_line: 1, path: 'a.md' } }, '* read_file a.md'],
  ['its pattern', { tool: 'search_files', input: { path: 'src', pattern: 'x' } }, '* search_files x'],
  [
    'its query, not its path',
    { tool: 'search_files', target: '.', input: { pattern: 'tide' } },
    '* search_files tide',
  ],
  [
    'the question',
    { tool: 'web_search', target: 's.example', input: { query: 'tides' } },
    '* web_search tides',
  ],
  [
    'method and URL',
    { tool: 'http_request', target: 'GET https://a.example', input: { url: 'https://a.example/b' } },
    '* http_request GET https://a.example/b',
  ],
  ['a server and its tool', { tool: 'mcp_call', input: { server: 'a', tool: 'b' } }, '* mcp_call a/b'],
  ['a server alone', { tool: 'mcp_call', target: 'a', input: { server: 'a' } }, '* mcp_call a'],
  [
    'the first line of a commit message',
    { tool: 'git_commit', input: { message: 'Rise\n\nHigh' } },
    '* git_commit Rise',
  ],
  ['a tool named like an object property', { tool: 'constructor', target: 'x' }, '* constructor x'],
  ['its whole input', { tool: 'move', input: { to: [1, 2] } }, '* move {"to":[1,2]}'],
  ['only the tool, with an empty input', { tool: 'git_status', input: {} }, '* git_status'],
  ['only the tool, without an input', { tool: 'git_status' }, '* git_status'],
  ['one line', { tool: 'run\n_x', target: 'a\n\x1b[2Jb' }, '* run␊_x a␊␛[2Jb'],
  [
    'both ends of a long target',
    { tool: 'read_file', target: 'a/very/long/path/to/somewhere/below/notes.md' },
    '* read_file a/very/long/p…elow/notes.md',
  ],
])('a call shows %s', (_, call, expected) => {
  expect(renderCall(call, plain)).toBe(expected)
})

test('a rich screen has its own mark', () => {
  expect(renderCall({ tool: 'read_file', target: 'a.md' }, coloured)).toBe('⏺ \x1b[1mread_file\x1b[22m a.md')
})

const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}`).join('\n')

const fenced = (text: string) => `[data 0a1b from a.md: text to read]\n${text}\n[end of data 0a1b]`

test.each<[string, ToolOutcome, string]>([
  ['one line', { kind: 'ok', text: 'two files\n' }, '  two files'],
  ['the number of lines', { kind: 'ok', text: 'a\nb\nc\n' }, '  3 lines'],
  ['done for an empty result', { kind: 'ok', text: '' }, '  done'],
  ['no fence', { kind: 'ok', text: fenced('a') }, '  a'],
  ['the lines without the fence', { kind: 'ok', text: fenced('a\nb') }, '  2 lines'],
  [
    'that the text was cut',
    { kind: 'ok', text: 'a\nb', whole: `media://sha256-${'0'.repeat(64)}` },
    '  2 lines of a longer text',
  ],
  [
    'the reason of a failure',
    { kind: 'failed', code: 'tool_failed', text: '\nNo.\n\nAt\tall.' },
    '  failed: No.\n  At    all.',
  ],
  [
    'the end of a long failure',
    { kind: 'failed', code: 'tool_failed', text: fenced(`exit code 1\n${numbered(9)}`) },
    `  failed: exit code 1\n  [3 lines omitted]\n${numbered(9)
      .replaceAll(/^/gm, '  ')
      .slice(-6 * 9 + 1)}`,
  ],
  [
    'the whole refusal',
    { kind: 'failed', code: 'tool_denied', text: 'The path leads out of the folder. Move it there.' },
    '  refused: The path leads out of the\n  folder. Move it there.',
  ],
  [
    'the code of a failure without text',
    { kind: 'failed', code: 'tool_failed', text: '' },
    '  failed: tool_failed',
  ],
])('a result shows %s', (_, outcome, expected) => {
  expect(renderOutcome(outcome, plain).join('\n')).toBe(expected)
})

test('failures are red, results dimmed', () => {
  expect(renderOutcome({ kind: 'failed', code: 'tool_failed', text: 'No.' }, coloured)[0]).toContain(
    '\x1b[31m',
  )
  expect(renderOutcome({ kind: 'ok', text: 'Yes.' }, coloured)[0]).toContain('\x1b[2m')
})

test.each([
  [
    'the policy names the reason',
    { by: 'policy', reason: 'Not here.\nMove it.' } as const,
    '  refused: Not here.\n  Move it.',
  ],
  ['the user knows the reason', { by: 'person', reason: 'The person refused.' } as const, '  refused'],
  ['there may be no reason', { by: 'grant' } as const, '  refused'],
])('[S13] for a refused call, %s', (_, decided, expected) => {
  expect(renderRefusal(decided, plain).join('\n')).toBe(expected)
})

test('every line fits the screen, whatever it contains', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyLetter }), fc.string({ unit: anyLetter }), (tool, text) => {
      const failed = { kind: 'failed', code: 'tool_failed', text } as const
      const lines = [
        renderCall({ tool, target: text }, plain),
        renderRunningCall({ tool, target: text }, 12, plain),
        ...renderOutcome({ kind: 'ok', text }, plain),
        ...renderOutcome(failed, plain),
        ...renderFullResult(failed, plain),
        ...renderRefusal({ by: 'policy', reason: text }, plain),
      ]
      for (const line of lines) {
        expect(measureText(line)).toBeLessThan(40)
        expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u)
      }
    }),
  )
})

test('a very long line does not fill the screen', () => {
  const text = `exit code 1\n${'x'.repeat(50_000)}`
  expect(renderOutcome({ kind: 'failed', code: 'tool_failed', text }, plain).length).toBeLessThan(6)
})

test.each([
  [60, '* run_command npm test … 12 s  Ctrl-C stops it'],
  [40, '* run_command npm test … 12 s'],
  [30, '* run_command npm test … 12 s'],
])('in %d columns a running call shows its duration', (columns, expected) => {
  expect(renderRunningCall({ tool: 'run_command', target: 'npm test' }, 12, { ...plain, columns })).toBe(
    expected,
  )
})

test('the full result is shown without its fence', () => {
  expect(renderFullResult({ kind: 'ok', text: fenced(numbered(9)) }, plain)).toHaveLength(9)
  expect(renderFullResult({ kind: 'failed', code: 'tool_denied', text: 'No.' }, plain)).toEqual([
    '  refused:',
    '  No.',
  ])
})
