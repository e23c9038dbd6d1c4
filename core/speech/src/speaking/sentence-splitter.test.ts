import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSentenceSplitter, type Sentence } from './sentence-splitter.ts'

test.each<[string, string, readonly string[]]>([
  ['two sentences', 'It is late. Go home!', ['It is late. ', 'Go home!']],
  ['a question in quotes', '“Why?” Nobody knew.', ['“Why?” ', 'Nobody knew.']],
  ['titles', 'Dr. Smith met Mrs. Jones. They spoke.', ['Dr. Smith met Mrs. Jones. ', 'They spoke.']],
  ['initials', 'J. R. Hartley wrote it. I bought it.', ['J. R. Hartley wrote it. ', 'I bought it.']],
  ['decimals', 'It is 3.14 or so. Yes.', ['It is 3.14 or so. ', 'Yes.']],
  ['abbreviations', 'Fruit, e.g. Apples, is good. Eat.', ['Fruit, e.g. Apples, is good. ', 'Eat.']],
  [
    'numbers of things',
    'See No. 5 first. He said no. Then he left.',
    ['See No. 5 first. ', 'He said no. ', 'Then he left.'],
  ],
  ['the hour', 'Come at 5 p.m. Bring cake.', ['Come at 5 p.m. ', 'Bring cake.']],
  ['what goes on in small letters', 'Well... maybe. Yes.', ['Well... maybe. ', 'Yes.']],
  ['addresses', 'See https://a.example/b.c?d=e now. Bye.', ['See https://a.example/b.c?d=e now. ', 'Bye.']],
  ['lists', 'Buy:\n- apples\n- pears\n', ['Buy:\n', '- apples\n', '- pears\n']],
  ['numbered lists', '1. Wash it.\n2. Dry it.', ['1. Wash it.\n', '2. Dry it.']],
  ['paragraphs', 'A heading\n\nSome text', ['A heading\n', '\nSome text']],
  [
    'lines that are wrapped',
    'one line\nand the same sentence. Two',
    ['one line\nand the same sentence. ', 'Two'],
  ],
  [
    'fenced code',
    'Do this:\n```js\na.b(). C!\n```\nThen rest.',
    ['Do this:\n', '```js\na.b(). C!\n```\n', 'Then rest.'],
  ],
  ['code in a line', 'Use ```a```. Then go.', ['Use ```a```. ', 'Then go.']],
  ['other scripts', '你好。再见！', ['你好。', '再见！']],
])('[X2] %s', (_, text, expected) => {
  expect(splitAll([text]).map(({ written }) => written)).toEqual(expected)
})

test('[X2] a sentence is given out before the next has ended', () => {
  const splitter = createSentenceSplitter()
  expect(splitter.add('I will look')).toEqual([])
  expect(splitter.add(' that up. ')).toEqual([])
  expect(splitter.add('One')).toEqual([{ written: 'I will look that up. ', spoken: 'I will look that up.' }])
  expect(splitter.add(' moment.')).toEqual([])
  expect(splitter.end()).toEqual([{ written: 'One moment.', spoken: 'One moment.' }])
  expect(splitter.end()).toEqual([])
})

test('[X2] the mark that closes a quote belongs to it, though it comes later', () => {
  expect(splitAll(['「走。', '” 再见'])).toEqual(splitAll(['「走。” 再见']))
})

test('[X2] a long sentence is cut at a comma before its end has come', () => {
  const splitter = createSentenceSplitter()
  const clause = 'when the rain came down upon the old house by the sea, '
  const [first] = splitter.add(clause.repeat(4))
  expect(first?.written).toBe(clause.repeat(3))
})

test('[X2] words without any comma are cut between words', () => {
  const written = splitAll(['word '.repeat(200)]).map((sentence) => sentence.written)
  expect(written.length).toBeGreaterThan(4)
  for (const part of written) expect(part).toMatch(/^(?:word )+$/u)
})

const piece = fc.oneof(
  fc.constantFrom(
    '.',
    '. ',
    '! ',
    '?',
    ', ',
    '\n',
    '\n\n',
    ' ',
    '- ',
    '> ',
    '1. ',
    '```',
    '```\n',
    '\n```js\n',
    '~~',
    '"',
    'Dr. ',
    'e.g. ',
    '3.14',
    'Word',
    'word',
    'I',
    '。',
    '😀',
  ),
  fc.string({ maxLength: 12 }),
  fc.constantFrom('long word '.repeat(21), 'endless'.repeat(30), '😀'.repeat(105)),
)

test('[X2] all sentences together are the text, however it comes in pieces', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const text = pieces.join('')
      const sentences = splitAll(pieces)
      expect(sentences.map(({ written }) => written).join('')).toBe(text)
      expect(sentences).toEqual(splitAll([text]))
      expect(sentences).toEqual(splitAll(text.split('')))
    }),
    { numRuns: 60 },
  )
})

test('[X2] what is said at once is short, and no letter is torn apart', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      for (const { written, spoken } of splitAll([pieces.join('')])) {
        expect(spoken.length).toBeLessThanOrEqual(260)
        expect(written.isWellFormed()).toBe(true)
      }
    }),
  )
})

function splitAll(pieces: readonly string[]): readonly Sentence[] {
  const splitter = createSentenceSplitter()
  return [...pieces.flatMap((text) => splitter.add(text)), ...splitter.end()]
}
