import { Readability } from '@mozilla/readability'
import type { UnreadableFile } from '@parley/knowledge'
import { type OpenedDocument, toUnreadable } from '../document-reader.ts'
import {
  type PageBlock,
  ELEMENT,
  type PageNode,
  iterateBlocks,
  groupBlocks,
  iterateNodes,
  parsePage,
} from './html-blocks.ts'

/** A tree with more tags does not fit into a thread's memory. */
const MAX_TAGS = 400_000
/** Finding the article is slow on large pages, and slower on deep ones. */
const MAX_ARTICLE_ELEMENTS = 20_000
const MAX_ARTICLE_DEPTH = 200
/** If the article is a smaller share of the page, the page is a list, a CV or a chat, and is read whole. */
const MIN_SHARE = 0.4

/** Reads the article of a page, or all of its visible text. */
export function readHtml(html: string): OpenedDocument | UnreadableFile {
  if (countTags(html) > MAX_TAGS) {
    return toUnreadable(`The page has more than ${MAX_TAGS} tags: save it as plain text.`)
  }
  const page = parsePage(html)
  removeInvisible(page)
  const title = findFirstText(page, 'title')
  const headline = findFirstText(page, 'h1') || title
  const date = findPublicationDate(page)
  const whole = [...iterateBlocks(page)]
  const article = isSmallAndShallow(page) ? findArticle(page) : undefined
  const blocks =
    article && sumLengths(article.blocks) >= MIN_SHARE * sumLengths(whole) ? article.blocks : whole
  return {
    title: title || headline || article?.title,
    segments: groupBlocks(addHeadline(blocks, headline), date === undefined ? {} : { date }),
    whenEmpty: 'There is no text in the page; text created by scripts is not read.',
  }
}

function countTags(html: string): number {
  let count = 0
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at + 1)) count += 1
  return count
}

/** An embedded drawing may have a title too; the page's own comes first. */
function findFirstText(page: PageNode, name: 'title' | 'h1'): string | undefined {
  for (const { node } of iterateNodes(page)) {
    if (node.nodeType === ELEMENT && node.localName === name)
      return node.textContent?.replaceAll(/\s+/g, ' ').trim()
  }
  return undefined
}

/** The article finder drops a headline that equals the title. */
function addHeadline(blocks: readonly PageBlock[], headline: string | undefined): readonly PageBlock[] {
  if (!headline || blocks.length === 0) return blocks
  const isThere = blocks.some(({ text }) => text.replaceAll(/\s+/g, ' ') === headline)
  return isThere ? blocks : [{ text: headline, kind: 'heading' }, ...blocks]
}

function isSmallAndShallow(page: PageNode): boolean {
  let elements = 0
  let depth = 0
  for (const { node, at } of iterateNodes(page)) {
    if (node.nodeType !== ELEMENT) continue
    depth += at === 'start' ? 1 : -1
    elements += 1
    if (depth > MAX_ARTICLE_DEPTH || elements > 2 * MAX_ARTICLE_ELEMENTS) return false
  }
  return true
}

interface PageArticle {
  readonly title: string
  readonly blocks: readonly PageBlock[]
}

const serializer = (node: unknown) => [...iterateBlocks(node as PageNode)]

/** Modifies the page. */
function findArticle(page: PageNode): PageArticle | undefined {
  try {
    const parsed = new Readability<PageBlock[]>(page as never, { serializer }).parse()
    if (!parsed?.content) return undefined
    return { title: parsed.title ?? '', blocks: parsed.content }
  } catch {
    // It fails on some pages; those are read whole.
    return undefined
  }
}

const sumLengths = (blocks: readonly PageBlock[]) => blocks.reduce((sum, { text }) => sum + text.length, 0)

const INVISIBLE_TAGS = new Set(
  'script style template noscript iframe object embed svg canvas math audio video datalist select textarea'.split(
    ' ',
  ),
)
const HIDING_STYLE =
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|(?:opacity|font-size)\s*:\s*0(?:\.0+)?(?![\d.]))/i

/** Removes invisible elements, so hidden text is not read. */
function removeInvisible(page: PageNode): void {
  const invisible: PageNode[] = []
  let within: PageNode | undefined
  for (const { node, at } of iterateNodes(page)) {
    if (within) {
      if (node === within && at === 'end') within = undefined
      continue
    }
    if (at !== 'start' || node.nodeType !== ELEMENT || !isInvisible(node)) continue
    invisible.push(node)
    within = node
  }
  for (const node of invisible) node.remove?.()
}

function isInvisible(node: PageNode): boolean {
  if (INVISIBLE_TAGS.has(node.localName.toLowerCase())) return true
  if (node.hasAttribute?.('hidden') || node.getAttribute?.('aria-hidden') === 'true') return true
  const style = node.getAttribute?.('style')
  return typeof style === 'string' && HIDING_STYLE.test(style.slice(0, 2_000))
}

const DATE_META_NAMES = new Set([
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

/** The publication date: from the metadata, otherwise the first date shown. */
function findPublicationDate(page: PageNode): string | undefined {
  let shown: string | undefined
  for (const { node, at } of iterateNodes(page)) {
    if (node.nodeType !== ELEMENT || at !== 'start') continue
    const name = node.localName.toLowerCase()
    if (name === 'meta' && isDateMeta(node)) {
      const date = parseDate(node.getAttribute?.('content'))
      if (date) return date
    }
    if (name === 'time') shown ??= parseDate(node.getAttribute?.('datetime'))
  }
  return shown
}

const isDateMeta = (node: PageNode): boolean =>
  ['property', 'name', 'itemprop'].some((key) =>
    DATE_META_NAMES.has(node.getAttribute?.(key)?.toLowerCase() ?? ''),
  )

/** A date, or a date and time; undefined otherwise. */
function parseDate(text: string | null | undefined): string | undefined {
  const match =
    /^\s*(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))(T\d{2}:\d{2}[\d:.]{0,12}(?:Z|[+-]\d{2}:?\d{2})?)?/.exec(
      text ?? '',
    )
  return match ? `${match[1]}${match[2] ?? ''}` : undefined
}
