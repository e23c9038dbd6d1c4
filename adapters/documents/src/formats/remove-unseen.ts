import { ELEMENT, nodesOf, type PageNode } from './page.ts'

const UNSEEN = new Set(
  'script style template noscript iframe object embed svg canvas math audio video datalist select textarea'.split(
    ' ',
  ),
)
const HIDING =
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|(?:opacity|font-size)\s*:\s*0(?:\.0+)?(?![\d.]))/i

/** Takes out of a page what its reader does not see, so that hidden words are not taken for theirs. */
export function removeUnseen(page: PageNode): void {
  const unseen: PageNode[] = []
  let within: PageNode | undefined
  for (const { node, at } of nodesOf(page)) {
    if (within) {
      if (node === within && at === 'end') within = undefined
      continue
    }
    if (at !== 'start' || node.nodeType !== ELEMENT || !isUnseen(node)) continue
    unseen.push(node)
    within = node
  }
  for (const node of unseen) node.remove?.()
}

function isUnseen(node: PageNode): boolean {
  if (UNSEEN.has(node.localName.toLowerCase())) return true
  if (node.hasAttribute?.('hidden') || node.getAttribute?.('aria-hidden') === 'true') return true
  const style = node.getAttribute?.('style')
  return typeof style === 'string' && HIDING.test(style.slice(0, 2_000))
}
