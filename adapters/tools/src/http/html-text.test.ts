import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toHtmlText } from './html-text.ts'

describe('the text of a page', () => {
  test.each([
    ['a title', '<html><head><title>A &amp; B</title></head><body>c</body>', 'Title: A & B\n\nc'],
    ['blocks', '<p>a</p><p>b<br>c</p>', 'a\n\nb\nc'],
    ['a heading', 'a<h2>b</h2>c', 'a\n\n# b\nc'],
    ['a list', '<ul><li>a<li>b</ul>', '- a\n- b'],
    ['a table', '<tr><td>a</td><td>b</td></tr>', '| a | b'],
    ['white space', 'a \n\t  b   <b>  c </b>', 'a b c'],
    ['scripts', 'a<script type="x">if (1 < 2) "</p>"</script >b', 'ab'],
    ['styles in upper case', 'a<STYLE>p{}</STYLE>b', 'ab'],
    ['a script without an end', 'a<script>b', 'a'],
    ['a comment', 'a<!-- <p>b --><!---->c', 'ac'],
    ['a comment without an end', 'a<!-- b', 'a'],
    ['a declaration', '<!DOCTYPE html>a', 'a'],
    ['a sign', '1 < 2 & 3 > 2', '1 < 2 & 3 > 2'],
    ['a tag without an end', 'a<p', 'a'],
    [
      'entities',
      '&lt;b&gt; &#65;&#x42; &nbsp;&Auml;&hellip; &unknown; &#0;&#xd800;',
      '<b> AB Ä… &unknown; \ufffd\ufffd',
    ],
    ['an escaped tag', '&lt;script&gt;a', '<script>a'],
    ['a link', '<a class=b href="/c?d&amp;e">f</a>', '[f](https://host.test/c?d&e)'],
    [
      'a link without an end',
      "<a href='https://a.test/'>b<a href=/c>d</a>",
      '[b](https://a.test/)[d](https://host.test/c)',
    ],
    ['a link to nowhere', '<a href="#a">b</a><a href="javascript:c">d</a><a>e</a>', 'bde'],
  ])('[S12] with %s', (_, html, text) => {
    expect(toHtmlText(html, 'https://host.test/')).toBe(text)
  })

  test('[S13] attack: many links of a page with a long address', () => {
    const html = '<a href=?>'.repeat(100_000)
    expect(toHtmlText(html, `https://host.test/${'a'.repeat(1_900)}`).length).toBeLessThan(2 * html.length)
  })

  test('[S13] for any input, no script text is shown', () => {
    const piece = fc.oneof(
      fc.constantFrom('<', '>', '</', '<p>', '<!--', '-->', '<script', '"', '&', ' '),
      fc.string(),
    )
    fc.assert(
      fc.property(fc.array(piece), fc.array(piece), (before, after) => {
        toHtmlText(before.join(''))
        expect(toHtmlText(`<script>${after.join('').replaceAll(/<\/script/gi, '')}`)).toBe('')
      }),
    )
  })

  test.each([
    '<',
    '<a',
    '<a ',
    '</',
    '<!--',
    '<p> ',
    '<script>',
    '&',
    '&#',
    '\n ',
    ' ',
    '<a href="',
    '<a href=a>',
    "'",
  ])('[S13] attack: a page of %j takes linear time', (piece) => {
    expect(toHtmlText(piece.repeat(Math.floor(2_000_000 / piece.length)))).toEqual(expect.any(String))
  })
})
