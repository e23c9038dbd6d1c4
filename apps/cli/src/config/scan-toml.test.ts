import { parse, stringify } from 'smol-toml'
import {
  array,
  assert,
  boolean,
  dictionary,
  double,
  integer,
  letrec,
  oneof,
  property,
  string,
} from 'fast-check'
import { expect, test } from 'vitest'
import { scanToml } from './scan-toml.ts'

/** "line:column" of the name and of the value, by path. */
function places(source: string): Record<string, string> {
  const place = (offset: number) => {
    const lines = source.slice(0, offset).split('\n')
    return `${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`
  }
  return Object.fromEntries(
    scanToml(source).map(({ path, name, start }) => [path.join('/'), `${place(name)} ${place(start)}`]),
  )
}

test.each<[string, string, Record<string, string>]>([
  ['a key', 'a = 1', { a: '1:1 1:5' }],
  ['a table', '\n[chat]\nx = 1\n', { chat: '2:2 2:1', 'chat/x': '3:1 3:5' }],
  ['a dotted key', 'a.b . c = true', { 'a/b': '1:3 1:11', 'a/b/c': '1:7 1:11' }],
  ['a dotted table', '[ a . "b.c" ]\nd=1', { 'a/b.c': '1:7 1:1', 'a/b.c/d': '2:1 2:3' }],
  ['quoted keys', `"a\\u0041" = 1\n'b "c"' = 2`, { aA: '1:1 1:13', 'b "c"': '2:1 2:11' }],
  ['a list over lines', 'a = [ # one\n  "x",\n  2, # two\n]\nb = 1', { 'a/1': '3:3 3:3', b: '5:1 5:5' }],
  ['lists in lists', 'a = [[1], [2, 3]]', { 'a/1/1': '1:15 1:15' }],
  [
    'an inline table',
    'a = { b = { c = 1 }, "d" = [ { e = 2 } ] }',
    { 'a/b/c': '1:13 1:17', 'a/d/0/e': '1:32 1:36' },
  ],
  [
    'multi-line text that looks like keys',
    'a = """\n[no]\nx = "1" \\"""\n"""""\nb = \'\'\'\n# y\n[z]\'\'\'\nc = 1',
    { a: '1:1 1:5', b: '5:1 5:5', c: '8:1 8:5' },
  ],
  ['a comment with quotes', '# it\'s "so\na = 1 # [b]\nc = 2', { a: '2:1 2:5', c: '3:1 3:5' }],
  ['quotes and hashes in text', `a = "]#\\"" # x\nb = '}#'\nc = 1`, { c: '3:1 3:5' }],
  [
    'lists of tables',
    '[[a]]\nb = 1\n[[a]]\nb = 2\n[a.c]\nd = 3',
    { 'a/0/b': '2:1 2:5', 'a/1/c/d': '6:1 6:5' },
  ],
  ['Windows line ends', '[a]\r\nb = 1\r\nc = 2\r\n', { 'a/c': '3:1 3:5' }],
  ['dates and numbers', 'a = 1979-05-27 07:32:00Z\nb = [1_000, -inf]\nc = 0x1F', { c: '3:1 3:5' }],
])('[S18] %s', (_, source, expected) => {
  parse(source)
  expect(places(source)).toMatchObject(expected)
})

test('[S18] in any file, each value is found at its position', () => {
  const { value } = letrec((tie) => ({
    value: oneof(
      { maxDepth: 3 },
      string({ unit: 'grapheme', maxLength: 12 }),
      integer(),
      double({ noNaN: true }),
      boolean(),
      array(tie('value'), { maxLength: 3 }),
      dictionary(string({ maxLength: 6 }), tie('value'), { maxKeys: 4 }),
    ),
  }))
  assert(
    property(dictionary(string({ maxLength: 6 }), value, { maxKeys: 5 }), (document) => {
      const source = stringify(document)
      const found = scanToml(source)
      for (const path of leaves(parse(source))) {
        const entry = found.find((candidate) => JSON.stringify(candidate.path) === JSON.stringify(path))
        expect(entry, `${JSON.stringify(path)} in\n${source}`).toBeDefined()
      }
    }),
  )
})

type Path = readonly (string | number)[]

function leaves(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  return Object.entries(value).flatMap(([key, inner]) =>
    leaves(inner, [...path, Array.isArray(value) ? Number(key) : key]),
  )
}
