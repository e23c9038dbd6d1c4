import { expect, test } from 'vitest'
import { splitSentences } from './split-sentences.ts'

test.each([
  ['Dr. Holm came. She left!', ['Dr. Holm came.', 'She left!']],
  ['J. R. Holm came at 3.5 knots.', ['J. R. Holm came at 3.5 knots.']],
  ['“Is it you?” she asked. No.', ['“Is it you?” she asked.', 'No.']],
  ['It is gone. 164 thousand.', ['It is gone.', '164 thousand.']],
  ['- milk\n- bread', ['- milk', '- bread']],
  ['a title\n\nand then text', ['a title', 'and then text']],
  [
    'This line was wrapped by an editor that is old, before\nMara came in. Then she left.',
    ['This line was wrapped by an editor that is old, before\nMara came in.', 'Then she left.'],
  ],
  ['这是一句。这是二句。', ['这是一句。', '这是二句。']],
  [' \n ', []],
])('splits %j into sentences', (text, expected) => {
  expect(splitSentences(text)).toEqual(expected)
})
