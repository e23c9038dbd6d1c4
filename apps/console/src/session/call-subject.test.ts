import type { CallId, Json } from '@parley/contracts'
import { expect, test } from 'vitest'
import { callSubject } from './call-subject.ts'

const subject = (input: Json) => callSubject({ id: 'call-1' as CallId, name: 'x', input })

test.each<[string, Json, string]>([
  ['a path', { content: 'long text', path: 'notes/a.md' }, 'notes/a.md'],
  ['a command', { timeout_seconds: 3, command: 'git log --oneline' }, 'git log --oneline'],
  ['what is looked for, and where', { path: 'src', pattern: 'TODO' }, 'TODO src'],
  ['a foreign tool', { arguments: {}, tool: 'add', server: 'sums' }, 'sums add'],
  ['an address', { url: 'https://example.com/a', method: 'PUT' }, 'PUT https://example.com/a'],
  ['whatever comes first', { depth: 3, other: 'x' }, '3'],
  ['a list of things', { items: [{ a: 1 }] }, '[{"a":1}]'],
  ['nothing', {}, ''],
  ['null', null, ''],
  ['no object at all', '{"path": "a.', '{"path": "a.'],
  ['lines in one line', { path: 'a\n\tb' }, 'a b'],
  ['what would turn it around', { path: 'safe\u202Egpj.exe' }, 'safe\\u{202e}gpj.exe'],
  ['no more than fits', { path: '🍐'.repeat(100) }, `${'🍐'.repeat(39)}…`],
])('[S12] %s', (_, input, expected) => {
  expect(subject(input)).toBe(expected)
})
