import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Inline, parseInline } from './parse-inline.ts'

const text = (words: string): Inline => ({ kind: 'text', text: words })
const strong = (...children: readonly Inline[]): Inline => ({ kind: 'strong', children })
const emphasis = (...children: readonly Inline[]): Inline => ({ kind: 'emphasis', children })
const code = (words: string): Inline => ({ kind: 'code', text: words })
const link = (href: string, words = href): Inline => ({ kind: 'link', href, children: [text(words)] })

test.each<[string, string, readonly Inline[]]>([
  ['plain words', 'Good day, 2 * 3 is 6.', [text('Good day, 2 * 3 is 6.')]],
  ['bold', 'a **b c** d', [text('a '), strong(text('b c')), text(' d')]],
  ['italic, by either sign', '*a* and _b_', [emphasis(text('a')), text(' and '), emphasis(text('b'))]],
  ['one in the other', '**a *b* c**', [strong(text('a '), emphasis(text('b')), text(' c'))]],
  ['a name with underlines', 'read_the_file', [text('read_the_file')]],
  ['an unclosed mark', 'so **far', [text('so **far')]],
  ['code keeps its marks', 'run `a **b**`', [text('run '), code('a **b**')]],
  ['code with a backtick', '`` a`b ``', [code('a`b')]],
  ['an unclosed backtick', 'so `far', [text('so `far')]],
  ['a line’s end', 'a\nb', [text('a'), { kind: 'break' }, text('b')]],
  ['an escaped mark', '\\*a\\*', [text('*a*')]],
  ['a link', '[here](https://a.example/b_(c))', [link('https://a.example/b_(c)', 'here')]],
  ['a link without a label shows its address', '[](https://a.example)', [link('https://a.example')]],
  [
    'an address as the label is text',
    '[https://a.example](https://b.example)',
    [link('https://b.example', 'https://a.example')],
  ],
  ['an address', 'See https://a.example/b.', [text('See '), link('https://a.example/b'), text('.')]],
  ['an image is not loaded', '![cat](https://a.example/c.png)', [link('https://a.example/c.png', 'cat')]],
  ['a link that would run code', '[x](javascript:alert(1))', [text('[x](javascript:alert(1))')]],
  ['a link to data', '[x](data:text/html,hi)', [text('[x](data:text/html,hi)')]],
  ['a relative link', '[x](/v1/me)', [text('[x](/v1/me)')]],
  ['HTML is text', '<b onclick=x>hi</b>', [text('<b onclick=x>hi</b>')]],
])('%s', (_, given, expected) => {
  expect(parseInline(given)).toEqual(expected)
})

const marked = fc
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
    fc.property(marked, (given) => {
      const shown = parseInline(given)
      expect(hrefsIn(shown).filter((href) => !/^(https?:\/\/|mailto:)/.test(href))).toEqual([])
      expect(wordsIn(shown)).toBe(given.split('word').length - 1)
    }),
    { numRuns: 500 },
  )
})

test.each(['*a ', '**', '_a', '`', '[', '[a](', '![', 'http://', '\\', '*a **b ', '[a](x', '*a*'])(
  'a very long text of %j is read in no time',
  (piece) => {
    const began = process.cpuUsage()
    parseInline(piece.repeat(100_000))
    expect(process.cpuUsage(began).user).toBeLessThan(3_000_000)
  },
)

function hrefsIn(inlines: readonly Inline[]): readonly string[] {
  return inlines.flatMap((inline) => [
    ...(inline.kind === 'link' ? [inline.href] : []),
    ...('children' in inline ? hrefsIn(inline.children) : []),
  ])
}

function wordsIn(inlines: readonly Inline[]): number {
  return inlines.reduce((sum, inline) => {
    if ('children' in inline) return sum + wordsIn(inline.children)
    return 'text' in inline ? sum + inline.text.split('word').length - 1 : sum
  }, 0)
}
