import type { SessionMessage } from '@parley/contracts'
import Database from 'better-sqlite3-multiple-ciphers'
import { expect, test } from 'vitest'
import { addTextSearch } from './text-search.ts'

const database = new Database(':memory:')
addTextSearch(database)

type Content = SessionMessage['content']
const text = (said: string): Content => [{ type: 'text', text: said }]
const result = (said: string): Content => [
  { type: 'tool_result', callId: 'call_1' as never, outcome: { kind: 'ok', text: said } },
]

test.each<[string, boolean, Content, string]>([
  ['any case', true, text('GRÜSSE aus Kyōto'), 'grüsse AUS kyŌto'],
  ['signs that JSON writes otherwise', true, text('a "b"\\c\n\u0001d'), '"B"\\C\n\u0001D'],
  ['a sigma at the end of a word', true, text('ο οδος'), 'ΟΔΟΣ'],
  ['a sigma behind a line break', true, text('\nΣ'), 'σ'],
  ['a sign of two units', true, text('🌍🌍'), '🌍'],
  ['what a model thought', true, [{ type: 'reasoning', text: 'Hm.' }], 'hm'],
  ['what a tool gave', true, result('three files'), 'Three'],
  ['the second part', true, [...text('one'), ...text('two')], 'TWO'],
  ['words over two parts', false, [...text('one'), ...text('two')], 'onetwo'],
  ['the names of the parts', false, text('x'), 'text'],
  ['an id', false, result('x'), 'call_1'],
  ['JSON around the text', false, text('x'), '"x"'],
  ['a wildcard', false, text('100'), '1%'],
])('search goes by what was said: %s', (_, isFound, content, search) => {
  const held = database
    .prepare<[string, string], { found: number }>('select content_holds(?, ?) as found')
    .get(JSON.stringify(content), search)
  expect(held).toEqual({ found: isFound ? 1 : 0 })
})

test('a title is searched whatever its case, and a session without one holds nothing', () => {
  const held = database.prepare('select text_holds(?, ?) as a, text_holds(null, ?) as b')
  expect(held.get('Über uns', 'ÜBER', 'über')).toEqual({ a: 1, b: 0 })
})
