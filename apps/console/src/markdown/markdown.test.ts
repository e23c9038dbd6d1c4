import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { Markdown } from './markdown.tsx'

const drawn = (text: string) => renderToStaticMarkup(createElement(Markdown, { text }))

test('a table is drawn as a table, and nothing in it is read as HTML', () => {
  const page = drawn('| Year | **Tree** |\n|---|--:|\n| 1998 | <img src=x onerror=alert(1)> |\n| 2001 |')
  expect(page).toContain('<th>Year</th><th data-align="end"><strong>Tree</strong></th>')
  expect(page).toContain('<td data-align="end">&lt;img src=x onerror=alert(1)&gt;</td>')
  expect(page).toContain('<tr><td>2001</td></tr>')
  expect(page).toContain('<div role="region" aria-label="Table" tabindex="0"><table>')
})
