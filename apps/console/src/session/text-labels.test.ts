import { expect, test } from 'vitest'
import type { CallId, Json } from '@parley/contracts'
import { getCallSubject, formatDuration } from './text-labels.ts'

const subject = (input: Json) => getCallSubject({ id: 'call-1' as CallId, name: 'x', input })

test.each<[string, Json, string]>([
  ['a path', { content: 'long text', path: 'notes/a.md' }, 'notes/a.md'],
  ['a command', { timeout_seconds: 3, command: 'git log --oneline' }, 'git log --oneline'],
  ['the pattern and the path', { path: 'src', pattern: 'TODO' }, 'TODO src'],
  ['a foreign tool', { arguments: {}, tool: 'add', server: 'sums' }, 'sums add'],
  ['an address', { url: 'https://example.com/a', method: 'PUT' }, 'PUT https://example.com/a'],
  ['whatever comes first', { depth: 3, other: 'x' }, '3'],
  ['a list of things', { items: [{ a: 1 }] }, '[{"a":1}]'],
  ['nothing', {}, ''],
  ['null', null, ''],
  ['not an object', '{"path": "a.', '{"path": "a.'],
  ['lines in one line', { path: 'a\n\tb' }, 'a b'],
  ['a direction override', { path: 'safe\u202Egpj.exe' }, 'safe\\u{202e}gpj.exe'],
  ['a long text is cut', { path: '🍐'.repeat(100) }, `${'🍐'.repeat(39)}…`],
])('[S12] %s', (_, input, expected) => {
  expect(subject(input)).toBe(expected)
})

test.each<[number, string]>([
  [-3, '0 ms'],
  [7.4, '7 ms'],
  [999, '999 ms'],
  [1_250, '1.3 s'],
  [42_400, '42 s'],
  [60_000, '1 min'],
  [125_000, '2 min 5 s'],
])('%d milliseconds are %s', (ms, words) => {
  expect(formatDuration(ms)).toBe(words)
})
