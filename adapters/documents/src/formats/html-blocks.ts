import { ELEMENT, nodesOf, type PageNode, TEXT } from './page.ts'

/** A paragraph, an item of a list, a row of a table, or a heading. */
export interface Block {
  readonly text: string
  readonly kind: 'paragraph' | 'heading'
}

const BREAKS = new Set(
  'address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr html legend li main menu nav ol option p pre section summary table tbody tfoot thead tr ul'.split(
    ' ',
  ),
)
const CELLS = new Set(['td', 'th'])
const HEADING = /^h[1-6]$/
/** A title is told apart from the text. */
const SILENT = new Set(['title'])

/** What a page says, block by block, as its reader would see it. */
export function* blocksOf(root: PageNode): Generator<Block> {
  let parts: string[] = []
  let silent = 0
  let preformatted = 0
  let headings = 0
  let quotes = 0
  let isCode = false

  const take = (): Block | undefined => {
    const bare = tidy(parts.join(''))
    // As Markdown has them, so that others' words and code are known as such further on.
    const text = isCode ? `\`\`\`\n${bare}\n\`\`\`` : quotes > 0 ? bare.replaceAll(/^/gm, '> ') : bare
    parts = []
    isCode = false
    return bare === '' ? undefined : { text, kind: headings > 0 ? 'heading' : 'paragraph' }
  }

  for (const { node, at } of nodesOf(root)) {
    if (node.nodeType === TEXT && at === 'start') {
      if (silent === 0) parts.push(preformatted > 0 ? lines(node) : words(node))
      continue
    }
    if (node.nodeType !== ELEMENT) continue
    const name = node.localName.toLowerCase()
    const step = at === 'start' ? 1 : -1
    // Everything in a row is one block, its cells beside each other.
    if (BREAKS.has(name)) {
      const block = take()
      if (block) yield block
    }
    if (SILENT.has(name)) silent += step
    if (name === 'pre') preformatted += step
    if (name === 'code' && preformatted > 0) isCode = true
    if (name === 'blockquote') quotes += step
    if (HEADING.test(name)) headings += step
    if (name === 'br' && at === 'start') parts.push('\n')
    if (CELLS.has(name) && at === 'end') parts.push(' | ')
  }
  const block = take()
  if (block) yield block
}

const words = (node: PageNode) => (node.textContent ?? '').replaceAll(/\s+/g, ' ')
const lines = (node: PageNode) => (node.textContent ?? '').replaceAll(/\r\n?/g, '\n')

function tidy(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trimEnd().replaceAll(/(?<=\S) {2,}/g, ' '))
    .join('\n')
    .trim()
    .replace(/(?: ?\|)+$/, '')
}
