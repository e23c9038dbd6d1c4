import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { measureText } from '../text.ts'
import { createHighlight } from './highlight.ts'
import { createMarkdown, renderMarkdown } from './markdown.ts'

const highlight = createHighlight()
const options = { columns: 40, links: false }

// oxlint-disable-next-line no-control-regex -- what we write ourselves
const OURS = /\x1b\[\d+m|\x1b\]8;;[\x21-\x7e]*\x1b\\/g
const bare = (painted: string) => painted.replace(OURS, '')
const shown = (text: string, given = {}) => bare(renderMarkdown(text, { ...options, ...given }))

describe('Markdown on the screen', () => {
  test.each([
    ['a heading', '## Over *all*', 'Over all'],
    ['emphasis of all kinds', '*a* **b** ***c*** ~~d~~ _e_ __f__', 'a b c d e f'],
    [
      'text that resembles emphasis',
      '2 * 3 * 4, snake_case_name, a ~ b, **open',
      '2 * 3 * 4, snake_case_name, a ~ b,\n**open',
    ],
    ['nested emphasis', '**a *b*** c', 'a b c'],
    ['code is literal', '`a*b*` ``x`y``', 'a*b* x`y'],
    ['escaped characters', '\\*a\\* \\_ \\x', '*a* _ \\x'],
    ['a link shows its address', '[docs](https://a.b/c "title")', 'docs (https://a.b/c)'],
    [
      'a link whose text is its address',
      '[https://a.b](https://a.b) <https://c.d>',
      'https://a.b https://c.d',
    ],
    ['brackets without a link', 'a[0] and [x] (y)', 'a[0] and [x] (y)'],
    ['an image', '![a cat](cat.png)', 'a cat (cat.png)'],
    ['a link with a misleading text', '[https://a.b](https://c.d)', 'https://a.b (https://c.d)'],
    ['HTML as written', '<b>x</b> &amp; <br>', '<b>x</b> &amp; <br>'],
    [
      'lists with hanging indents',
      '- one two three four five six seven eight\n  - b\n10. c',
      '• one two three four five six seven\n  eight\n  • b\n10. c',
    ],
    ['checkboxes', '- [ ] a\n- [x] b', '☐ a\n☑ b'],
    ['quotes', '> a\n> > - b', '│ a\n│ │ • b'],
    ['a rule', 'a\n\n---\nb', `a\n\n${'─'.repeat(39)}\nb`],
    ['code with a language', '```js\nlet a  = 1\n\n```\nb', '  js\n  let a  = 1\n  \nb'],
    ['code of an unknown language', '~~~nonsense\n*a*\n~~~', '  nonsense\n  *a*'],
    ['code in a list', '- a\n  ```\n  x\n    y\n  ```', '• a\n    x\n      y'],
    ['unclosed code', '```\na\nb', '  a\n  b'],
    ['a table', '| A | Bee |\n|---|--:|\n| x | 1 |\n| `y` |\nend', 'A │ Bee\n──┼────\nx │   1\ny │    \nend'],
    ['lines that are not a table', '| a\n| b |\nc', '| a\n| b |\nc'],
    [
      'breaks between words and within a very long one',
      `a ${'x'.repeat(50)} b`,
      `a\n${'x'.repeat(39)}\n${'x'.repeat(11)} b`,
    ],
    ['wide characters', '漢'.repeat(25), `${'漢'.repeat(19)}\n${'漢'.repeat(6)}`],
  ])('%s', (_, text, expected) => {
    expect(shown(text, { highlight })).toBe(expected)
  })

  test('a table fits the screen: its cells wrap or are listed one per line', () => {
    const table =
      '| Name | What it is |\n|--|--|\n| apple | a fruit that grows on trees in many lands |\n| pear | green |'
    expect(shown(table)).toBe(
      'Name  │ What it is\n──────┼────────────────────────────────\napple │ a fruit that grows on trees in\n' +
        '      │ many lands\n──────┼────────────────────────────────\npear  │ green',
    )
    const wide = `|${' a |'.repeat(9)}\n|${'-|'.repeat(9)}\n|${' value |'.repeat(9)}`
    expect(shown(wide).split('\n')).toEqual(Array.from({ length: 9 }, () => 'a: value'))
  })

  test('marks are read in a line of any length', () => {
    expect(shown('**ab** `c` '.repeat(500))).not.toMatch(/[*`]/)
  })

  test('text is styled, and only safe addresses can be opened', () => {
    expect(renderMarkdown('**a**', options)).toBe('\x1b[1ma\x1b[22m')
    expect(renderMarkdown('```js\nlet a\n```', { ...options, highlight })).toContain('\x1b[35mlet\x1b[39m a')
    expect(renderMarkdown('https://a.b', { ...options, links: true })).toContain('\x1b]8;;https://a.b\x1b\\')
    for (const address of ['javascript:alert(1)', 'file:///etc/passwd', 'https://a.b/ü']) {
      expect(renderMarkdown(`[x](${address})`, { ...options, links: true })).not.toContain('\x1b]8')
    }
  })
})

const piece = fc.constantFrom(
  'word ', 'a', '*', '**', '_', '`', '```', '```js\n', '\n', '\n\n', '# ', '- ', '1. ', '> ', '|', '| a | b |\n',
  '|---|:-:|\n', '[', '](', ')', 'https://a.b/c', ' ', '  ', '漢', '😀', '\\', '~~', '!', '<', 'h', '---\n', '\t',
  'x'.repeat(120), 'let a = 1 // b\n', '[x] ',
) // prettier-ignore
const prose = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''))

/** Cuts a text into pieces of these lengths, over and over. */
function cut(text: string, lengths: readonly number[]): readonly string[] {
  const pieces: string[] = []
  for (let place = 0, turn = 0; place < text.length; turn += 1) {
    let end = place + (lengths[turn % lengths.length] ?? 1)
    if (/[\uD800-\uDBFF]/.test(text[end - 1] ?? '')) end += 1
    pieces.push(text.slice(place, end))
    place = end
  }
  return pieces
}

describe('any text', () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 })

  test('gives the same rows in pieces as in one write', () => {
    fc.assert(
      fc.property(prose, lengths, fc.boolean(), (text, sizes, coloured) => {
        const given = { ...options, ...(coloured && { highlight }) }
        const markdown = createMarkdown(given)
        const rows = cut(text, sizes).flatMap((part) => {
          const finished = markdown.write(part)
          markdown.rest()
          return finished
        })
        expect([...rows, ...markdown.end()].join('\n')).toBe(renderMarkdown(text, given))
      }),
      { numRuns: 500 },
    )
  })

  test('has only rows narrower than the screen', () => {
    fc.assert(
      fc.property(prose, fc.integer({ min: 14, max: 90 }), (text, columns) => {
        const markdown = createMarkdown({ ...options, columns })
        for (const part of cut(text, [7])) {
          for (const row of [...markdown.write(part), ...markdown.rest()]) {
            expect(measureText(bare(row))).toBeLessThan(columns)
          }
        }
      }),
    )
  })

  test('loses no word', () => {
    fc.assert(
      fc.property(prose, (text) => {
        expect(wordsIn(shown(text))).toBe(wordsIn(text))
      }),
    )
  })
})

const wordsIn = (written: string) => written.replace(/\s/g, '').match(/word/g)?.length ?? 0

/** The largest unfinished part of a text at any time. */
const longest = (pieces: readonly string[]) => {
  const markdown = createMarkdown({ ...options, highlight })
  return Math.max(
    ...pieces.map((part) => {
      markdown.write(part)
      return markdown.rest().join('').length
    }),
  )
}
const times = (part: string) => Array.from({ length: 3_000 }, () => part)

test('the redrawn part stays small for any long line, table or code block', () => {
  expect(longest(times('a *bc '))).toBeLessThan(3_000)
  expect(longest(times('xy'))).toBeLessThan(3_000)
  expect(longest(['```\n', ...times('let a = 1 ')])).toBeLessThan(3_000)
  expect(longest(['| a | b |\n', '|---|---|\n', ...times('| 1 | 2 |\n')])).toBeLessThan(3_000)
})
