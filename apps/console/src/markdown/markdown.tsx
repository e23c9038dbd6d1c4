import type { Tokens } from 'marked'
import { type ReactNode, memo, useState } from 'react'
import {
  type BlockToken,
  type InlineToken,
  asBlocks,
  asInlines,
  createBlockParser,
  isSafeLink,
  parseInline,
} from './parse-markdown.ts'

/** Renders Markdown as elements, never as HTML. A growing text renders again only its last blocks. */
export const MarkdownView = memo(function MarkdownView({ text }: { text: string }) {
  const [parse] = useState(createBlockParser)
  return <div className="prose">{drawBlocks(parse(text))}</div>
})

const drawBlocks = (tokens: readonly BlockToken[]): ReactNode =>
  tokens.filter(({ type }) => type !== 'space').map((token, index) => <BlockView key={index} token={token} />)

const hasSameText = (
  before: { token: BlockToken | Tokens.ListItem },
  after: { token: BlockToken | Tokens.ListItem },
): boolean => before.token.type === after.token.type && before.token.raw === after.token.raw

/** Headings start below the page's own. */
const HEADINGS = ['h3', 'h3', 'h4', 'h5', 'h6', 'h6'] as const

const BlockView = memo(function BlockView({ token }: { token: BlockToken }) {
  switch (token.type) {
    case 'heading': {
      const Heading = HEADINGS[token.depth - 1] ?? 'h6'
      return <Heading>{drawText(token.text)}</Heading>
    }
    case 'code':
      return (
        <pre tabIndex={0} aria-label={token.lang ? `Code, ${token.lang}` : 'Code'}>
          <code>{token.text}</code>
        </pre>
      )
    case 'blockquote':
      return <blockquote>{drawBlocks(asBlocks(token.tokens))}</blockquote>
    case 'list': {
      const items = token.items.map((item, index) => <ItemView key={index} token={item} />)
      return token.ordered ? <ol start={Number(token.start)}>{items}</ol> : <ul>{items}</ul>
    }
    case 'table':
      return <TableView table={token} />
    case 'hr':
      return <hr />
    case 'paragraph':
    case 'text':
      return <p>{drawText(token.text)}</p>
    case 'space':
    case 'checkbox':
      return null
    default:
      return token satisfies never
  }
}, hasSameText)

/** A list item. Its first sentence is no paragraph, so a short list stays close. */
const ItemView = memo(function ItemView({ token }: { token: Tokens.ListItem }) {
  const blocks = asBlocks(token.tokens)
  const [first, ...rest] = blocks.filter(({ type }) => type !== 'checkbox')
  const isText = first?.type === 'text' || first?.type === 'paragraph'
  return (
    <li>
      {blocks[0]?.type === 'checkbox' && blocks[0].raw}
      {isText && drawText(first.text)}
      {drawBlocks(isText ? rest : blocks)}
    </li>
  )
}, hasSameText)

const ALIGN = { left: 'start', center: 'center', right: 'end' } as const

/** The cells are split here, since the lexer drops those beyond the header's. */
function TableView({ table: { raw, align } }: { table: Tokens.Table }) {
  const [head = [], , ...rows] = raw.trimEnd().split('\n').map(splitCells)
  const drawCells = (Cell: 'th' | 'td', cells: readonly string[]) =>
    cells.map((text, column) => {
      const side = align[column]
      return (
        <Cell key={column} data-align={side ? ALIGN[side] : undefined}>
          {drawText(text)}
        </Cell>
      )
    })
  return (
    <div role="region" aria-label="Table" tabIndex={0}>
      <table>
        <thead>
          <tr>{drawCells('th', head)}</tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={row}>{drawCells('td', cells)}</tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The cells between the bars; an escaped bar is text. */
const splitCells = (line: string): readonly string[] =>
  line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))

const drawText = (text: string): ReactNode => drawInlines(parseInline(text))

const drawInlines = (tokens: readonly InlineToken[]): ReactNode => tokens.map(drawInline)

function drawInline(token: InlineToken, index: number): ReactNode {
  switch (token.type) {
    case 'codespan':
      return <code key={index}>{token.text}</code>
    case 'strong':
      return <strong key={index}>{drawInlines(asInlines(token.tokens))}</strong>
    case 'em':
      return <em key={index}>{drawInlines(asInlines(token.tokens))}</em>
    case 'del':
      return <del key={index}>{drawInlines(asInlines(token.tokens))}</del>
    case 'br':
      return <br key={index} />
    case 'link':
    // An image would load from any server, so it is a link.
    case 'image':
      if (!isSafeLink(token)) return token.raw
      return (
        <a key={index} href={token.href} target="_blank" rel="noopener noreferrer">
          {token.tokens.length > 0 ? drawInlines(asInlines(token.tokens)) : token.href}
        </a>
      )
    case 'text':
    case 'escape':
      return token.text
    default:
      return token satisfies never
  }
}
