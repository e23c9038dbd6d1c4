import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Block, parseBlocks } from './parse-blocks.ts'

type Table = Extract<Block, { kind: 'table' }>

const paragraph = (text: string): Block => ({ kind: 'paragraph', text })
const bullets = (...items: readonly (readonly Block[])[]): Block => ({
  kind: 'list',
  ordered: false,
  start: 1,
  items,
})
const numbers = (start: number, ...items: readonly (readonly Block[])[]): Block => ({
  kind: 'list',
  ordered: true,
  start,
  items,
})
const table = (align: Table['align'], head: readonly string[], ...rows: readonly string[][]): Block => ({
  kind: 'table',
  align,
  head,
  rows,
})
const code = (language: string, text: string): Block => ({ kind: 'code', language, text })

test.each<[string, string, readonly Block[]]>([
  ['nothing', '', []],
  ['paragraphs', 'a\nb\n\n\nc', [paragraph('a\nb'), paragraph('c')]],
  ['a heading', '## What now', [{ kind: 'heading', level: 2, text: 'What now' }]],
  ['a heading ends a paragraph', 'a\n# b', [paragraph('a'), { kind: 'heading', level: 1, text: 'b' }]],
  ['a hash without a space', '#1 is best', [paragraph('#1 is best')]],
  ['a rule', 'a\n\n---', [paragraph('a'), { kind: 'rule' }]],
  ['code', '```ts\nconst a = 1\n\n# b\n```\nc', [code('ts', 'const a = 1\n\n# b'), paragraph('c')]],
  ['unfinished code', '```\nconst a', [code('', 'const a')]],
  ['a quotation', '> a\n> b', [{ kind: 'quote', blocks: [paragraph('a\nb')] }]],
  ['a list', '- a\n- b', [bullets([paragraph('a')], [paragraph('b')])]],
  [
    'a list right after its sentence',
    'So:\n* a\n* b',
    [paragraph('So:'), bullets([paragraph('a')], [paragraph('b')])],
  ],
  ['a list with gaps', '1. a\n\n2. b', [numbers(1, [paragraph('a')], [paragraph('b')])]],
  ['a list that starts later', '3) a', [numbers(3, [paragraph('a')])]],
  ['an item over two lines', '- a\nb\n- c', [bullets([paragraph('a\nb')], [paragraph('c')])]],
  [
    'a list in a list',
    '1. a\n   - b\n   - c\n2. d',
    [numbers(1, [paragraph('a'), bullets([paragraph('b')], [paragraph('c')])], [paragraph('d')])],
  ],
  ['code in an item', '- a\n  ```\n  b\n  ```', [bullets([paragraph('a'), code('', 'b')])]],
  ['a list ends at a paragraph', '- a\n\nb', [bullets([paragraph('a')]), paragraph('b')]],
  ['two kinds of list', '- a\n1. b', [bullets([paragraph('a')]), numbers(1, [paragraph('b')])]],
  [
    'a table',
    '| Year | Tree |\n| --- | --- |\n| 1998 | pear |\n| 2001 | plum |\n\na',
    [table(['', ''], ['Year', 'Tree'], ['1998', 'pear'], ['2001', 'plum']), paragraph('a')],
  ],
  [
    'a table right after its sentence, without outer bars, with sides',
    'So:\na | b | c\n:-- | :-: | --:\n1 | 2 | 3',
    [paragraph('So:'), table(['start', 'center', 'end'], ['a', 'b', 'c'], ['1', '2', '3'])],
  ],
  [
    'rows with too few and too many cells, and a bar within a cell',
    '|a|b|\n|-|-|\n|1|\n|1|2|3|\n|x \\| y||',
    [table(['', ''], ['a', 'b'], ['1'], ['1', '2', '3'], ['x | y', ''])],
  ],
  ['unfinished table', '| a | b |\n| -', [paragraph('| a | b |\n| -')]],
  ['a table without rows', '| a |\n|---|', [table([''], ['a'])]],
  [
    'a table ends at another block',
    '|a|\n|-|\n|b|\n- c',
    [table([''], ['a'], ['b']), bullets([paragraph('c')])],
  ],
  ['a bar alone makes no table', 'a | b\n---', [paragraph('a | b'), { kind: 'rule' }]],
  [
    'a table in an item',
    '- a\n  | b |\n  |---|\n  | c |',
    [bullets([paragraph('a'), table([''], ['b'], ['c'])])],
  ],
  ['Windows line ends', 'a\r\n\r\nb', [paragraph('a'), paragraph('b')]],
])('%s', (_, given, expected) => {
  expect(parseBlocks(given)).toEqual(expected)
})

const lines = fc
  .array(
    fc.constantFrom(
      '- ',
      '1. ',
      '|',
      '|-|\n',
      '|a|b|\n|-|-|\n',
      '> ',
      '  ',
      '```',
      '# ',
      '---',
      'word',
      '\n',
      '\n\n',
      ' ',
    ),
  )
  .map((pieces) => pieces.join(''))

test('no word is lost', () => {
  fc.assert(
    fc.property(lines, (given) => {
      expect(wordsIn(parseBlocks(given))).toBe(given.split('word').length - 1)
    }),
    { numRuns: 500 },
  )
})

test.each([
  '- ',
  '> ',
  '1. a\n  ',
  '> - ',
  '```\n',
  '``` a',
  '# ',
  ' ',
  '- a\n\n',
  '---',
  '\n',
  '|',
  '|-',
  '|-|\n',
  'a|\n',
  '|a\n|-\n',
  '\\|',
])('a very long text of %j is read in no time', (piece) => {
  const began = process.cpuUsage()
  parseBlocks(`${piece.repeat(50_000)}\``)
  expect(process.cpuUsage(began).user).toBeLessThan(3_000_000)
})

function wordsIn(blocks: readonly Block[]): number {
  return blocks.reduce((sum, block) => {
    if (block.kind === 'table')
      return sum + [block.head, ...block.rows].flat().join(' ').split('word').length - 1
    if (block.kind === 'quote') return sum + wordsIn(block.blocks)
    if (block.kind === 'list') return sum + block.items.reduce((inItems, item) => inItems + wordsIn(item), 0)
    const text = block.kind === 'rule' ? '' : block.kind === 'code' ? block.language + block.text : block.text
    return sum + text.split('word').length - 1
  }, 0)
}
