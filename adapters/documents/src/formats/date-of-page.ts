import { ELEMENT, nodesOf, type PageNode } from './page.ts'

const META = new Set([
  'article:published_time',
  'og:article:published_time',
  'date',
  'dc.date',
  'dc.date.issued',
  'dcterms.date',
  'dcterms.created',
  'datepublished',
  'pubdate',
  'publish-date',
])

/** When a page was published: as it says of itself, else the first time that it shows. */
export function dateOfPage(page: PageNode): string | undefined {
  let shown: string | undefined
  for (const { node, at } of nodesOf(page)) {
    if (node.nodeType !== ELEMENT || at !== 'start') continue
    const name = node.localName.toLowerCase()
    if (name === 'meta' && isOfDate(node)) {
      const date = dateIn(node.getAttribute?.('content'))
      if (date) return date
    }
    if (name === 'time') shown ??= dateIn(node.getAttribute?.('datetime'))
  }
  return shown
}

const isOfDate = (node: PageNode): boolean =>
  ['property', 'name', 'itemprop'].some((key) => META.has(node.getAttribute?.(key)?.toLowerCase() ?? ''))

/** A date, or a date and time; undefined where it is none. */
function dateIn(text: string | null | undefined): string | undefined {
  const found =
    /^\s*(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))(T\d{2}:\d{2}[\d:.]{0,12}(?:Z|[+-]\d{2}:?\d{2})?)?/.exec(
      text ?? '',
    )
  return found ? `${found[1]}${found[2] ?? ''}` : undefined
}
