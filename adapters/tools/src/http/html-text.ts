import { decodeHTML, decodeHTMLAttribute } from 'entities'

/** The text of a page, with Markdown links. Runs in linear time, unlike a parser that keeps a stack of open tags. */
export function toHtmlText(html: string, base?: string): string {
  const parts: string[] = []
  let link: string | undefined
  // Relative links grow when resolved: together they get no more space than the page.
  let roomForLinks = html.length + MAX_TAG_LENGTH
  let at = 0
  while (at < html.length) {
    const open = html.indexOf('<', at)
    if (open !== at) parts.push(toPlainText(html.slice(at, open === -1 ? undefined : open)))
    if (open === -1) break
    const { name, isEnd, attributes, end } = readTag(html, open)
    at = end
    if (name !== 'a') {
      parts.push(IN_TEXT.get(isEnd ? `/${name}` : name) ?? (BLOCKS.has(name) ? '\n' : ''))
      continue
    }
    if (link !== undefined) parts.push(`](${link})`)
    link = isEnd || roomForLinks < 0 ? undefined : readLink(attributes, base)
    roomForLinks -= link?.length ?? 0
    if (roomForLinks < 0) link = undefined
    if (link !== undefined) parts.push('[')
  }
  return tidyText(parts.join(''))
}

/** Without invisible hyphens and joiners. */
const toPlainText = (html: string): string =>
  decodeHTML(html)
    .replace(/\s+/g, ' ')
    .replace(/[\u00ad\u200c]/g, '')

interface HtmlTag {
  readonly name: string
  readonly isEnd: boolean
  readonly attributes: string
  readonly end: number
}

function readTag(html: string, open: number): HtmlTag {
  if (html.startsWith('<!--', open)) return { ...NOTHING, end: findAfter(html, '-->', open + 4) }
  START.lastIndex = open
  const start = START.exec(html)
  // A plain "<", not a tag.
  if (!start) return { ...NOTHING, name: '<', end: open + 1 }
  const [opening, slash, given = ''] = start
  const name = given.toLowerCase()
  const end = findAfter(html, '>', open + opening.length)
  const closing = slash === '' ? UNSEEN[name] : undefined
  const attributes = html.slice(open + opening.length, end - 1)
  if (!closing) return { name, isEnd: slash === '/', attributes, end }
  closing.lastIndex = end
  const closed = closing.exec(html)
  return { ...NOTHING, end: closed ? findAfter(html, '>', closed.index) : html.length }
}

const NOTHING = { name: '', isEnd: false, attributes: '' }
const START = /<([/!?]?)([a-z][^\s/>]{0,40})/iy

/** Elements with invisible content. */
const UNSEEN: Readonly<Record<string, RegExp>> = Object.fromEntries(
  ['script', 'style', 'template', 'noscript', 'svg', 'iframe', 'object'].map((name) => [
    name,
    new RegExp(`</${name}[\\s/>]`, 'gi'),
  ]),
)

function findAfter(html: string, mark: string, from: number): number {
  const index = html.indexOf(mark, from)
  return index === -1 ? html.length : index + mark.length
}

function readLink(attributes: string, base: string | undefined): string | undefined {
  const [, double, single, bare] = HREF.exec(attributes.slice(0, MAX_TAG_LENGTH)) ?? []
  const href = decodeHTMLAttribute(double ?? single ?? bare ?? '').trim()
  if (href === '' || href.startsWith('#')) return undefined
  const url = URL.parse(href, base)
  return url && /^https?:$/.test(url.protocol) && url.href.length <= MAX_TAG_LENGTH ? url.href : undefined
}

const HREF = /(?:^|\s)href\s?=\s?(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i
const MAX_TAG_LENGTH = 2_000

const IN_TEXT: ReadonlyMap<string, string> = new Map([
  ['<', '<'],
  ['title', '\nTitle: '],
  ['/title', '\n\n'],
  ['li', '\n- '],
  ['td', ' | '],
  ['th', ' | '],
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((name) => [name, '\n\n# '] as const),
])

const BLOCKS: ReadonlySet<string> = new Set(
  'address article aside blockquote body br dd details div dl dt figure footer form h1 h2 h3 h4 h5 h6 head header hr main nav ol option p pre section summary table tr ul'.split(
    ' ',
  ),
)

const tidyText = (text: string): string =>
  text
    .replace(/ {2,}/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
