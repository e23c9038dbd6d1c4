import { parseHTML } from 'linkedom'
import type { Place } from '@parley/contracts'
import type { Segment } from '@parley/knowledge'
import { GROUP_LENGTH, MAX_SEGMENT_LENGTH } from '../document-reader.ts'

/** A paragraph, an item of a list, a row of a table, or a heading. */
export interface PageBlock {
  readonly text: string
  readonly kind: 'paragraph' | 'heading'
}

const BLOCK_TAGS = new Set(
  'address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr html legend li main menu nav ol option p pre section summary table tbody tfoot thead tr ul'.split(
    ' ',
  ),
)
const CELL_TAGS = new Set(['td', 'th'])
const HEADING = /^h[1-6]$/
/** The title is not part of the text. */
const SILENT_TAGS = new Set(['title'])

/** The visible text of a page, block by block. */
export function* iterateBlocks(root: PageNode): Generator<PageBlock> {
  let parts: string[] = []
  let silent = 0
  let preformatted = 0
  let headings = 0
  let quotes = 0
  let isCode = false

  const take = (): PageBlock | undefined => {
    const bare = tidyBlock(parts.join(''))
    // In Markdown form, so quotes and code are recognised later.
    const text = isCode ? `\`\`\`\n${bare}\n\`\`\`` : quotes > 0 ? bare.replaceAll(/^/gm, '> ') : bare
    parts = []
    isCode = false
    return bare === '' ? undefined : { text, kind: headings > 0 ? 'heading' : 'paragraph' }
  }

  for (const { node, at } of iterateNodes(root)) {
    if (node.nodeType === TEXT && at === 'start') {
      if (silent === 0) parts.push(preformatted > 0 ? getPreformattedText(node) : getCollapsedText(node))
      continue
    }
    if (node.nodeType !== ELEMENT) continue
    const name = node.localName.toLowerCase()
    const step = at === 'start' ? 1 : -1
    // A table row is one block.
    if (BLOCK_TAGS.has(name)) {
      const block = take()
      if (block) yield block
    }
    if (SILENT_TAGS.has(name)) silent += step
    if (name === 'pre') preformatted += step
    if (name === 'code' && preformatted > 0) isCode = true
    if (name === 'blockquote') quotes += step
    if (HEADING.test(name)) headings += step
    if (name === 'br' && at === 'start') parts.push('\n')
    if (CELL_TAGS.has(name) && at === 'end') parts.push(' | ')
  }
  const block = take()
  if (block) yield block
}

const getCollapsedText = (node: PageNode) => (node.textContent ?? '').replaceAll(/\s+/g, ' ')
const getPreformattedText = (node: PageNode) => (node.textContent ?? '').replaceAll(/\r\n?/g, '\n')

function tidyBlock(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trimEnd().replaceAll(/(?<=\S) {2,}/g, ' '))
    .join('\n')
    .trim()
    .replace(/(?: ?\|)+$/, '')
}

/** The DOM fields that we use, since there are no browser types here. */
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
  // Without a root, the parser would use the first element as root.
  const { document } = parseHTML(/<html[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`)
  return document as unknown as PageNode
}

/** All nodes in document order. Iterative, since nesting may be deeper than the stack. */
export function* iterateNodes(
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

/** Groups a few blocks under each heading. */
export function* groupBlocks(blocks: Iterable<PageBlock>, fixed: Place = {}): Generator<Segment> {
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
    const isFull = length >= GROUP_LENGTH || length + text.length > MAX_SEGMENT_LENGTH
    if (texts.length > 0 && (isFull || kind === 'heading')) yield take()
    if (kind === 'heading') heading = text
    texts.push(text)
    length += text.length + 2
  }
  if (texts.length > 0) yield take()
}
