import fc from 'fast-check'
import { expect, test } from 'vitest'
import { speakable } from './speakable.ts'

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
  expect(speakable(written)).toBe(expected)
})

test('[X2] plain words are said as they are written', () => {
  const word = fc.stringMatching(/^[a-zé]{1,10}$/u)
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 10 }), (words) => {
      expect(speakable(words.join(' '))).toBe(words.join(' '))
    }),
  )
})
