import { Lexer, type Token, Tokenizer, type Tokens } from 'marked'

/** The blocks that our tokenizer makes. */
export type BlockToken =
  | Tokens.Paragraph
  | Tokens.Text
  | Tokens.Heading
  | Tokens.Code
  | Tokens.Blockquote
  | Tokens.List
  | Tokens.Table
  | Tokens.Hr
  | Tokens.Space
  | Tokens.Checkbox

/** The inline marks that our tokenizer makes, and the text between them. */
export type InlineToken =
  | Tokens.Text
  | Tokens.Escape
  | Tokens.Codespan
  | Tokens.Strong
  | Tokens.Em
  | Tokens.Del
  | Tokens.Br
  | Tokens.Link
  | Tokens.Image

/** Deeper lists and quotations are plain paragraphs. */
const DEEPEST = 6

/** Recognises no HTML, link definitions, underlined headings or indented code: they are text. */
class AnswerTokenizer extends Tokenizer {
  #depth = 0

  override blockquote(text: string): Tokens.Blockquote | undefined {
    return this.#nest(() => super.blockquote(text))
  }

  override list(text: string): Tokens.List | undefined {
    return this.#nest(() => super.list(text))
  }

  override html = () => undefined
  override tag = () => undefined
  override def = () => undefined
  override reflink = () => undefined
  override lheading = () => undefined
  override code = () => undefined

  #nest<T>(parse: () => T): T | undefined {
    if (this.#depth >= DEEPEST) return undefined
    this.#depth += 1
    try {
      return parse()
    } finally {
      this.#depth -= 1
    }
  }
}

const createLexer = () => new Lexer({ gfm: true, breaks: true, tokenizer: new AnswerTokenizer() })

/** Without extensions, the lexer makes no other tokens. */
export const asBlocks = (tokens: readonly Token[]) => tokens as readonly BlockToken[]
export const asInlines = (tokens: readonly Token[]) => tokens as readonly InlineToken[]

/** Parses the blocks of a Markdown text, which may be incomplete. Their inline marks are left to `parseInline`. */
export const parseBlocks = (text: string): readonly BlockToken[] =>
  asBlocks(createLexer().blockTokens(text.replaceAll('\r\n', '\n'), []))

/** Parses a text that grows at its end. Blocks that cannot change any more are parsed once. */
export function createBlockParser(): (text: string) => readonly BlockToken[] {
  let parsed = ''
  let blocks: readonly BlockToken[] = []
  return (given) => {
    const text = given.replaceAll('\r\n', '\n')
    if (text === parsed) return blocks
    const settled = text.startsWith(parsed) ? findSettledBlocks(blocks) : []
    const length = settled.reduce((sum, { raw }) => sum + raw.length, 0)
    blocks = [...settled, ...parseBlocks(text.slice(length))]
    parsed = text
    return blocks
  }
}

/** All but the last three blocks: where a block ends depends on the two lines below it. */
function findSettledBlocks(blocks: readonly BlockToken[]): readonly BlockToken[] {
  let end = blocks.length
  for (let open = 0; open < 3 && end > 0; end -= 1) if (blocks[end - 1]?.type !== 'space') open += 1
  return blocks.slice(0, end)
}

/** A longer text is parsed in parts: the time to find marks grows with the square of the length. */
const MAX_PART = 2_000

export function parseInline(text: string): readonly InlineToken[] {
  const tokens: InlineToken[] = []
  let rest = text
  while (rest.length > MAX_PART) {
    const part = parsePart(rest.slice(0, MAX_PART))
    tokens.push(...part)
    rest = rest.slice(part.reduce((sum, { raw }) => sum + raw.length, 0))
  }
  return [...tokens, ...lexInline(rest)]
}

const lexInline = (text: string) => asInlines(createLexer().inlineTokens(text, []))

/** Parses about half of a part: marks that open there may close in the other half. */
function parsePart(part: string): readonly InlineToken[] {
  const [first, ...others] = lexInline(part)
  if (first === undefined) return []
  const half = MAX_PART / 2
  if (first.type === 'text' && first.raw.length > half) {
    const text = part.slice(0, half).replace(/[\uD800-\uDBFF]$/, '')
    return [{ type: 'text', raw: text, text }]
  }
  let length = first.raw.length
  const fitting = others.findIndex(({ raw }) => (length += raw.length) > half)
  return [first, ...(fitting === -1 ? others : others.slice(0, fitting))]
}

/** A link that may be opened: a web or mail address, never code. */
export const isSafeLink = ({ href }: Tokens.Link | Tokens.Image): boolean =>
  /^(https?:\/\/|mailto:)/i.test(href) && URL.canParse(href)
