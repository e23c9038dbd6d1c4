export type Inline =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'strong' | 'emphasis'; readonly children: readonly Inline[] }
  | { readonly kind: 'link'; readonly href: string; readonly children: readonly Inline[] }
  | { readonly kind: 'break' }

/** Deeper marks are plain text. */
const DEEPEST = 6

/** Parses inline marks. Everything unknown stays text. */
export function parseInline(text: string, depth = 0): readonly Inline[] {
  const inlines: Inline[] = []
  const missing = new Set<string>()
  let plain = ''
  let at = 0
  while (at < text.length) {
    const mark = depth < DEEPEST ? parseMark(text, at, depth, missing) : undefined
    at = mark?.end ?? at + 1
    if (!mark) plain += text[at - 1]
    else if (mark.inline.kind === 'text') plain += mark.inline.text
    else {
      if (plain !== '') inlines.push({ kind: 'text', text: plain })
      plain = ''
      inlines.push(mark.inline)
    }
  }
  if (plain !== '') inlines.push({ kind: 'text', text: plain })
  return inlines
}

interface Mark {
  readonly inline: Inline
  readonly end: number
}

/** `missing` holds closing marks that do not occur, so none is searched twice. */
type MarkParser = (text: string, at: number, depth: number, missing: Set<string>) => Mark | undefined

function parseMark(text: string, at: number, depth: number, missing: Set<string>): Mark | undefined {
  return PARSERS[text[at] ?? '']?.(text, at, depth, missing)
}

const PARSERS: Readonly<Record<string, MarkParser>> = {
  '\\': parseEscape,
  '\n': (_, at) => ({ inline: { kind: 'break' }, end: at + 1 }),
  '`': parseCode,
  '[': parseLink,
  '!': parseImage,
  '*': parseEmphasis,
  _: parseEmphasis,
  h: parseUrl,
}

function parseEscape(text: string, at: number): Mark | undefined {
  const next = text[at + 1] ?? ''
  return /[!-/:-@[-`{-~]/.test(next) ? { inline: { kind: 'text', text: next }, end: at + 2 } : undefined
}

function parseCode(text: string, at: number, _: number, missing: Set<string>): Mark {
  const runs = /`+/g
  runs.lastIndex = at
  const opening = runs.exec(text)?.[0] ?? '`'
  const start = at + opening.length
  const literal: Mark = { inline: { kind: 'text', text: opening }, end: start }
  if (missing.has(opening)) return literal
  let closing = runs.exec(text)
  while (closing && closing[0].length !== opening.length) closing = runs.exec(text)
  if (!closing) {
    missing.add(opening)
    return literal
  }
  const inside = text.slice(start, closing.index)
  const spaced = inside.length > 2 && inside.startsWith(' ') && inside.endsWith(' ')
  return {
    inline: { kind: 'code', text: spaced ? inside.slice(1, -1) : inside },
    end: closing.index + opening.length,
  }
}

const LINK = /\[([^[\]]*)\]\(((?:[^\s()[\]]|\([^\s()[\]]*\))+)(?:\s+"[^"\n]*")?\)/y

function parseLink(text: string, at: number, depth: number): Mark | undefined {
  LINK.lastIndex = at
  const [whole, label = '', href = ''] = LINK.exec(text) ?? []
  if (whole === undefined || !isSafe(href)) return undefined
  // A URL in the label stays text: links do not nest.
  const children = parseInline(label || href, depth + 1).flatMap((part) =>
    part.kind === 'link' ? part.children : [part],
  )
  return { inline: { kind: 'link', href, children }, end: at + whole.length }
}

/** An image would load from any server, so it stays a link. */
function parseImage(text: string, at: number, depth: number): Mark | undefined {
  return text[at + 1] === '[' ? parseLink(text, at + 1, depth) : undefined
}

const ADDRESS = /https?:\/\/[^\s<>"'`]*[^\s<>"'`.,;:!?)\]*_]/y

function parseUrl(text: string, at: number): Mark | undefined {
  if (/\w/.test(text[at - 1] ?? '')) return undefined
  ADDRESS.lastIndex = at
  const href = ADDRESS.exec(text)?.[0]
  return href && isSafe(href)
    ? { inline: { kind: 'link', href, children: [{ kind: 'text', text: href }] }, end: at + href.length }
    : undefined
}

/** Allows only web addresses, never code. */
const isSafe = (href: string): boolean => /^(https?:\/\/|mailto:)/i.test(href) && URL.canParse(href)

function parseEmphasis(text: string, at: number, depth: number, missing: Set<string>): Mark | undefined {
  const sign = text[at] ?? ''
  const mark = text[at + 1] === sign ? sign + sign : sign
  const start = at + mark.length
  if (missing.has(mark) || /\s/.test(text[start] ?? ' ')) return undefined
  if (sign === '_' && /\w/.test(text[at - 1] ?? '')) return undefined
  const end = findClosingMark(text, start + 1, mark)
  if (end === undefined) {
    missing.add(mark)
    return undefined
  }
  const children = parseInline(text.slice(start, end), depth + 1)
  return {
    inline: { kind: mark.length === 2 ? 'strong' : 'emphasis', children },
    end: end + mark.length,
  }
}

function findClosingMark(text: string, from: number, mark: string): number | undefined {
  const sign = mark[0] ?? ''
  for (let at = text.indexOf(mark, from); at !== -1; at = text.indexOf(mark, at + 1)) {
    const isWhole = mark.length === 2 || (text[at + 1] !== sign && text[at - 1] !== sign)
    const follows = !/\s/.test(text[at - 1] ?? ' ')
    const endsWord = sign !== '_' || !/\w/.test(text[at + mark.length] ?? '')
    if (isWhole && follows && endsWord) return at
  }
  return undefined
}
