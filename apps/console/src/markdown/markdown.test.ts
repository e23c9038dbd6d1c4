import fc from 'fast-check'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { MarkdownView } from './markdown.tsx'
import { createBlockParser, parseBlocks, parseInline } from './parse-markdown.ts'

const render = (text: string) =>
  renderToStaticMarkup(createElement(MarkdownView, { text })).slice(
    '<div class="prose">'.length,
    -'</div>'.length,
  )

const renderLink = (href: string, label = href) =>
  `<a href="${href}" target="_blank" rel="noopener noreferrer">${label}</a>`
const renderCode = (text: string, label = 'Code') =>
  `<pre tabindex="0" aria-label="${label}"><code>${text}</code></pre>`
const renderTable = (head: string, body: string) =>
  `<div role="region" aria-label="Table" tabindex="0"><table><thead>${head}</thead><tbody>${body}</tbody></table></div>`

describe('blocks', () => {
  test.each([
    ['nothing', '', ''],
    ['paragraphs', 'a\nb\n\n\nc', '<p>a<br/>b</p><p>c</p>'],
    ['a heading', '## What now', '<h3>What now</h3>'],
    ['a heading ends a paragraph', 'a\n# b', '<p>a</p><h3>b</h3>'],
    ['a hash without a space', '#1 is best', '<p>#1 is best</p>'],
    ['a rule', 'a\n\n---', '<p>a</p><hr/>'],
    ['a rule right after a sentence is no heading', 'a\n---', '<p>a</p><hr/>'],
    ['code', '```ts\nconst a = 1\n\n# b\n```\nc', `${renderCode('const a = 1\n\n# b', 'Code, ts')}<p>c</p>`],
    ['unfinished code', '```\nconst a', renderCode('const a')],
    ['an indented line is a paragraph', '    a', '<p>    a</p>'],
    ['a quotation', '> a\n> b', '<blockquote><p>a<br/>b</p></blockquote>'],
    ['a list', '- a\n- b', '<ul><li>a</li><li>b</li></ul>'],
    ['a list right after its sentence', 'So:\n* a\n* b', '<p>So:</p><ul><li>a</li><li>b</li></ul>'],
    ['a list with gaps', '1. a\n\n2. b', '<ol start="1"><li>a</li><li>b</li></ol>'],
    ['a list that starts later', '3) a', '<ol start="3"><li>a</li></ol>'],
    ['a list of tasks', '- [ ] a\n- [x] b', '<ul><li>[ ] a</li><li>[x] b</li></ul>'],
    ['a list of tasks with gaps', '- [ ] a\n\n- [x] b', '<ul><li>[ ] a</li><li>[x] b</li></ul>'],
    ['an item over two lines', '- a\nb\n- c', '<ul><li>a<br/>b</li><li>c</li></ul>'],
    [
      'a list in a list',
      '1. a\n   - b\n   - c\n2. d',
      '<ol start="1"><li>a<ul><li>b</li><li>c</li></ul></li><li>d</li></ol>',
    ],
    ['code in an item', '- a\n  ```\n  b\n  ```', `<ul><li>a${renderCode('b')}</li></ul>`],
    ['a list ends at a paragraph', '- a\n\nb', '<ul><li>a</li></ul><p>b</p>'],
    ['two kinds of list', '- a\n1. b', '<ul><li>a</li></ul><ol start="1"><li>b</li></ol>'],
    [
      'a table',
      '| Year | Tree |\n| --- | --- |\n| 1998 | pear |\n| 2001 | plum |\n\na',
      `${renderTable(
        '<tr><th>Year</th><th>Tree</th></tr>',
        '<tr><td>1998</td><td>pear</td></tr><tr><td>2001</td><td>plum</td></tr>',
      )}<p>a</p>`,
    ],
    [
      'a table right after its sentence, without outer bars, with sides',
      'So:\na | b | c\n:-- | :-: | --:\n1 | 2 | 3',
      `<p>So:</p>${renderTable(
        '<tr><th data-align="start">a</th><th data-align="center">b</th><th data-align="end">c</th></tr>',
        '<tr><td data-align="start">1</td><td data-align="center">2</td><td data-align="end">3</td></tr>',
      )}`,
    ],
    [
      'rows with too few and too many cells, and a bar within a cell',
      '|a|b|\n|-|-|\n|1|\n|1|2|3|\n|x \\| y||',
      renderTable(
        '<tr><th>a</th><th>b</th></tr>',
        '<tr><td>1</td></tr><tr><td>1</td><td>2</td><td>3</td></tr><tr><td>x | y</td><td></td></tr>',
      ),
    ],
    ['unfinished table', '| a | b |\n| -', '<p>| a | b |<br/>| -</p>'],
    ['a table without rows', '| a |\n|---|', renderTable('<tr><th>a</th></tr>', '')],
    [
      'a table ends at another block',
      '|a|\n|-|\n|b|\n- c',
      `${renderTable('<tr><th>a</th></tr>', '<tr><td>b</td></tr>')}<ul><li>c</li></ul>`,
    ],
    ['a bar alone makes no table', 'a | b\n---', '<p>a | b</p><hr/>'],
    [
      'a table in an item',
      '- a\n  | b |\n  |---|\n  | c |',
      `<ul><li>a${renderTable('<tr><th>b</th></tr>', '<tr><td>c</td></tr>')}</li></ul>`,
    ],
    ['Windows line ends', 'a\r\n\r\nb', '<p>a</p><p>b</p>'],
    ['a definition of a link is text', '[a]: b', '<p>[a]: b</p>'],
    ['HTML is text', '<p onclick=x>\nhi', '<p>&lt;p onclick=x&gt;<br/>hi</p>'],
  ])('%s', (_, text, expected) => {
    expect(render(text)).toBe(expected)
  })

  test('a cell is aligned and has marks, and its HTML is text', () => {
    expect(render('| Year | **Tree** |\n|---|--:|\n| 1998 | <img src=x onerror=alert(1)> |\n| 2001 |')).toBe(
      renderTable(
        '<tr><th>Year</th><th data-align="end"><strong>Tree</strong></th></tr>',
        '<tr><td>1998</td><td data-align="end">&lt;img src=x onerror=alert(1)&gt;</td></tr><tr><td>2001</td></tr>',
      ),
    )
  })

  const texts = fc
    .array(
      fc.constantFrom(
        '- ',
        '1. ',
        '2',
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
      { maxLength: 30 },
    )
    .map((pieces) => pieces.join(''))

  test('no word is lost', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(countWords(render(text))).toBe(countWords(text))
      }),
      { numRuns: 500 },
    )
  })

  test('a text that grows in pieces has the same blocks as the whole text', () => {
    fc.assert(
      fc.property(fc.array(texts, { maxLength: 6 }), (pieces) => {
        const parse = createBlockParser()
        let text = ''
        for (const piece of pieces) {
          text += piece
          expect(parse(text)).toEqual(parseBlocks(text))
        }
      }),
      { numRuns: 2_000 },
    )
  })

  test('a text that grows parses its first blocks once', () => {
    const parse = createBlockParser()
    const [first] = parse('a\n\nb\n\nc\n\nd')
    expect(parse('a\n\nb\n\nc\n\nd\n\ne')[0]).toBe(first)
    expect(parse('b')).toMatchObject([{ text: 'b' }])
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
  ])('a very long text of %j is parsed in no time', (piece) => {
    const began = process.cpuUsage()
    parseBlocks(`${piece.repeat(50_000)}\``)
    expect(process.cpuUsage(began).user).toBeLessThan(3_000_000)
  })
})

describe('inline marks', () => {
  test.each([
    ['plain words', 'Good day, 2 * 3 is 6.', 'Good day, 2 * 3 is 6.'],
    ['bold', 'a **b c** d', 'a <strong>b c</strong> d'],
    ['italic, by either sign', '*a* and _b_', '<em>a</em> and <em>b</em>'],
    ['struck out', '~~a~~', '<del>a</del>'],
    ['one in the other', '**a *b* c**', '<strong>a <em>b</em> c</strong>'],
    ['a name with underlines', 'read_the_file', 'read_the_file'],
    ['an unclosed mark', 'so **far', 'so **far'],
    ['code keeps its marks', 'run `a **b**`', 'run <code>a **b**</code>'],
    ['code with a backtick', '`` a`b ``', '<code>a`b</code>'],
    ['an unclosed backtick', 'so `far', 'so `far'],
    ['a line’s end', 'a\nb', 'a<br/>b'],
    ['an escaped mark', '\\*a\\*', '*a*'],
    ['a link', '[here](https://a.example/b_(c))', renderLink('https://a.example/b_(c)', 'here')],
    ['a link without a label shows its address', '[](https://a.example)', renderLink('https://a.example')],
    [
      'an address as the label is text',
      '[https://a.example](https://b.example)',
      renderLink('https://b.example', 'https://a.example'),
    ],
    ['an address', 'See https://a.example/b.', `See ${renderLink('https://a.example/b')}.`],
    [
      'an image is not loaded',
      '![cat](https://a.example/c.png)',
      renderLink('https://a.example/c.png', 'cat'),
    ],
    ['a link that would run code', '[x](javascript:alert(1))', '[x](javascript:alert(1))'],
    ['a link to data', '[x](data:text/html,hi)', '[x](data:text/html,hi)'],
    ['a relative link', '[x](/v1/me)', '[x](/v1/me)'],
    ['a mail address', '[x](mailto:a@b.example)', renderLink('mailto:a@b.example', 'x')],
    ['HTML is text', '<b onclick=x>hi</b>', '&lt;b onclick=x&gt;hi&lt;/b&gt;'],
  ])('%s', (_, text, expected) => {
    expect(render(text)).toBe(`<p>${expected}</p>`)
  })

  test('a long paragraph keeps its marks, words and characters', () => {
    const expected = '<p>' + 'so 🌱 <strong>far <em>a</em></strong> '.repeat(3_000).trimEnd() + '</p>'
    expect(render('so 🌱 **far *a*** '.repeat(3_000).trimEnd())).toBe(expected)
  })

  const texts = fc
    .array(
      fc.constantFrom(
        '*',
        '**',
        '_',
        '`',
        '``',
        '[',
        '](',
        ')',
        'javascript:',
        'https://a.b',
        'word',
        ' ',
        '\n',
        '\\',
      ),
    )
    .map((pieces) => pieces.join(''))

  test('no text runs code, and no word is lost', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const page = render(`a${text}`)
        const hrefs = [...page.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href)
        expect(hrefs.filter((href) => !/^(https?:\/\/|mailto:)/.test(href))).toEqual([])
        expect(countWords(page.replaceAll(/href="[^"]*"/g, ''))).toBe(countWords(text))
      }),
      { numRuns: 500 },
    )
  })

  test.each([
    '*a ',
    '**',
    '_a',
    '`',
    '[',
    '[a](',
    '![',
    'http://',
    '\\',
    '*a **b ',
    '[a](x',
    '*a*',
    'a_b',
    '!',
  ])('a very long text of %j is parsed in no time', (piece) => {
    const began = process.cpuUsage()
    parseInline(piece.repeat(100_000))
    expect(process.cpuUsage(began).user).toBeLessThan(3_000_000)
  })
})

const countWords = (text: string) => text.split('word').length - 1
