import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Sentence, createSentenceSplitter, toSpokenText } from './sentence-splitter.ts'

test.each<[string, string, readonly string[]]>([
  ['two sentences', 'It is late. Go home!', ['It is late. ', 'Go home!']],
  ['a question in quotes', '“Why?” Nobody knew.', ['“Why?” ', 'Nobody knew.']],
  ['titles', 'Dr. Smith met Mrs. Jones. They spoke.', ['Dr. Smith met Mrs. Jones. ', 'They spoke.']],
  ['initials', 'J. R. Hartley wrote it. I bought it.', ['J. R. Hartley wrote it. ', 'I bought it.']],
  ['decimals', 'It is 3.14 or so. Yes.', ['It is 3.14 or so. ', 'Yes.']],
  ['abbreviations', 'Fruit, e.g. Apples, is good. Eat.', ['Fruit, e.g. Apples, is good. ', 'Eat.']],
  [
    'numbered references',
    'See No. 5 first. He said no. Then he left.',
    ['See No. 5 first. ', 'He said no. ', 'Then he left.'],
  ],
  ['the hour', 'Come at 5 p.m. Bring cake.', ['Come at 5 p.m. ', 'Bring cake.']],
  ['lower-case continuation', 'Well... maybe. Yes.', ['Well... maybe. ', 'Yes.']],
  ['addresses', 'See https://a.example/b.c?d=e now. Bye.', ['See https://a.example/b.c?d=e now. ', 'Bye.']],
  ['lists', 'Buy:\n- apples\n- pears\n', ['Buy:\n', '- apples\n', '- pears\n']],
  ['numbered lists', '1. Wash it.\n2. Dry it.', ['1. Wash it.\n', '2. Dry it.']],
  ['paragraphs', 'A heading\n\nSome text', ['A heading\n', '\nSome text']],
  ['wrapped lines', 'one line\nand the same sentence. Two', ['one line\nand the same sentence. ', 'Two']],
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

test('[X2] a sentence is returned before the next one ends', () => {
  const splitter = createSentenceSplitter()
  expect(splitter.add('I will look')).toEqual([])
  expect(splitter.add(' that up. ')).toEqual([])
  expect(splitter.add('One')).toEqual([{ written: 'I will look that up. ', spoken: 'I will look that up.' }])
  expect(splitter.add(' moment.')).toEqual([])
  expect(splitter.end()).toEqual([{ written: 'One moment.', spoken: 'One moment.' }])
  expect(splitter.end()).toEqual([])
})

test('[X2] a closing quotation mark belongs to its sentence, even if it arrives later', () => {
  expect(splitAll(['「走。', '” 再见'])).toEqual(splitAll(['「走。” 再见']))
})

test('[X2] a long sentence is cut at a comma before its end arrives', () => {
  const splitter = createSentenceSplitter()
  const clause = 'when the rain came down upon the old house by the sea, '
  const [first] = splitter.add(clause.repeat(4))
  expect(first?.written).toBe(clause.repeat(3))
})

test('[X2] a long sentence without commas is cut between words', () => {
  const written = splitAll(['word '.repeat(200)]).map((sentence) => sentence.written)
  expect(written.length).toBeGreaterThan(4)
  for (const part of written) expect(part).toMatch(/^(?:word )+$/u)
})

const anyPiece = fc.oneof(
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

test('[X2] the joined sentences equal the text, however it is split', () => {
  fc.assert(
    fc.property(fc.array(anyPiece, { maxLength: 30 }), (pieces) => {
      const text = pieces.join('')
      const sentences = splitAll(pieces)
      expect(sentences.map(({ written }) => written).join('')).toBe(text)
      expect(sentences).toEqual(splitAll([text]))
      expect(sentences).toEqual(splitAll(text.split('')))
    }),
    { numRuns: 60 },
  )
})

test('[X2] spoken pieces are short and never split a character', () => {
  fc.assert(
    fc.property(fc.array(anyPiece, { maxLength: 30 }), (pieces) => {
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

test.each<[string, string, string]>([
  ['plain text', 'It is late, said Tom’s aunt.', 'It is late, said Tom’s aunt.'],
  ['a quote', '> It was so,\n> he said.', 'It was so, he said.'],
  ['a quote of a quote', '> > Deep.', 'Deep.'],
  ['a heading', '## What to do', 'What to do'],
  ['an entry', '- **Apples** and _pears_', 'Apples and pears'],
  ['a task', '* [x] Done', 'Done'],
  ['emphasis that ends elsewhere', '**Both of them.', 'Both of them.'],
  ['a product', '2 * 3 is 6', '2 * 3 is 6'],
  ['a name of a variable', 'Set `max_tokens` now', 'Set max tokens now'],
  ['a link', 'See [the guide](https://a.example/x).', 'See the guide.'],
  ['an image', '![A cat](cat.png) sits', 'A cat sits'],
  ['an address', 'Go to https://www.shop.example/a/b?c=1#d.', 'Go to shop.example.'],
  ['an address in brackets', '<http://127.0.0.1:4000/x>', '127.0.0.1'],
  ['a secret in an address', 'https://me:hunter2@a.example/', 'a.example'],
  ['a reference', 'He was born in Ulm [1][^2].', 'He was born in Ulm.'],
  ['quotation marks', '“Stop,” she said, "now".', 'Stop, she said, now.'],
  ['a row of a table', '| Name | Age |', 'Name, Age'],
  ['the line under a table’s head', '|---|:-:|', ''],
  ['a rule', '---', ''],
  ['tags', 'Press <b>Enter</b>', 'Press Enter'],
  ['comparisons', '1 < 2 and 3 > 2', '1 < 2 and 3 > 2'],
  ['emoji', 'Great 🎉👍🏽 🇨🇭 done', 'Great done'],
  ['emoji alone', '😀 👩‍👩‍👧', ''],
  ['signs alone', '… !? **', ''],
  ['fenced code', '```js\nlet a = 1\n```', ''],
  ['a program of one line', '```npm start``` does it', 'npm start does it'],
  ['nothing', ' \n', ''],
])('[X2] %s', (_, written, expected) => {
  expect(toSpokenText(written)).toBe(expected)
})

test('[X2] plain words are spoken unchanged', () => {
  const word = fc.stringMatching(/^[a-zé]{1,10}$/u)
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 10 }), (words) => {
      expect(toSpokenText(words.join(' '))).toBe(words.join(' '))
    }),
  )
})
