import { parseHTML } from 'linkedom'
import type { Place } from '@parley/contracts'
import type { Segment } from '@parley/knowledge'
import { GROUP, MAX_SEGMENT } from '../reading.ts'

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

/** As much of a page's nodes as we use, since the types of a browser are not ours. */
export interface PageNode {
  readonly nodeType: number
  readonly localName: string
  readonly textContent: string | null
  readonly firstChild: PageNode | null
  readonly nextSibling: PageNode | null
  readonly parentNode: PageNode | null
  getAttribute?(name: string): string | null
  hasAttribute?(name: string): boolean
  remove?(): void
}

export const ELEMENT = 1
const TEXT = 3

export function parsePage(html: string): PageNode {
  // A page without a root would get its first element for one.
  const { document } = parseHTML(/<html[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`)
  return document as unknown as PageNode
}

/** All nodes in the order of the page. Goes by the links between them, since nesting may be deeper than any stack. */
export function* nodesOf(
  root: PageNode,
): Generator<{ readonly node: PageNode; readonly at: 'start' | 'end' }> {
  let node: PageNode = root
  for (;;) {
    yield { node, at: 'start' }
    if (node.firstChild) {
      node = node.firstChild
      continue
    }
    for (;;) {
      yield { node, at: 'end' }
      if (node === root) return
      if (node.nextSibling) break
      if (!node.parentNode) return
      node = node.parentNode
    }
    node = node.nextSibling
  }
}

/** The blocks under each heading, a few together. */
export function* groupBlocks(blocks: Iterable<Block>, fixed: Place = {}): Generator<Segment> {
  let heading: string | undefined
  let texts: string[] = []
  let length = 0

  const take = (): Segment => {
    const segment = { text: texts.join('\n\n'), place: { ...fixed, ...(heading ? { heading } : {}) } }
    texts = []
    length = 0
    return segment
  }

  for (const { text, kind } of blocks) {
    const isFull = length >= GROUP || length + text.length > MAX_SEGMENT
    if (texts.length > 0 && (isFull || kind === 'heading')) yield take()
    if (kind === 'heading') heading = text
    texts.push(text)
    length += text.length + 2
  }
  if (texts.length > 0) yield take()
}
