import { expect, test } from 'vitest'
import { stripMarkdown } from './strip-markdown.ts'

test.each([
  ['a heading', '## Languages\n\nGerman.', 'Languages\n\nGerman.'],
  ['emphasis', '**Count on the bad days.** They *come*.', 'Count on the bad days. They come.'],
  ['a quotation', '> So she said.', 'So she said.'],
  ['a link and code', 'See [the log](https://a.example/b), `git log`.', 'See the log, git log.'],
  ['text that looks like a mark', '5 * 3 = 15, #1 of 2', '5 * 3 = 15, #1 of 2'],
  ['a list keeps its lines', '- one\n- two', '- one\n- two'],
])('%s', (_, text, expected) => {
  expect(stripMarkdown(text)).toBe(expected)
})
