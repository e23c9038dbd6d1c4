import { parseHTML } from 'linkedom'

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
export const TEXT = 3

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
