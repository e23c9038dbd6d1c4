import { memo, type ReactNode } from 'react'
import { type Block, parseBlocks } from './parse-blocks.ts'
import { type Inline, parseInline } from './parse-inline.ts'

/** Renders Markdown as elements, never as HTML. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  return <div className="prose">{parseBlocks(text).map(drawBlock)}</div>
})

/** Headings start below the page's own. */
const HEADINGS = ['h3', 'h3', 'h4', 'h5', 'h6', 'h6'] as const

function drawBlock(block: Block, index: number): ReactNode {
  switch (block.kind) {
    case 'paragraph':
      return <p key={index}>{drawText(block.text)}</p>
    case 'heading': {
      const Heading = HEADINGS[block.level - 1] ?? 'h6'
      return <Heading key={index}>{drawText(block.text)}</Heading>
    }
    case 'code':
      return (
        <pre key={index} tabIndex={0} aria-label={block.language === '' ? 'Code' : `Code, ${block.language}`}>
          <code>{block.text}</code>
        </pre>
      )
    case 'quote':
      return <blockquote key={index}>{block.blocks.map(drawBlock)}</blockquote>
    case 'list': {
      const items = block.items.map((item, place) => <li key={place}>{drawItem(item)}</li>)
      return block.ordered ? (
        <ol key={index} start={block.start}>
          {items}
        </ol>
      ) : (
        <ul key={index}>{items}</ul>
      )
    }
    case 'table':
      return (
        <div key={index} role="region" aria-label="Table" tabIndex={0}>
          <table>
            <thead>
              <tr>{block.head.map((text, column) => drawCell('th', text, column, block.align))}</tr>
            </thead>
            <tbody>
              {block.rows.map((row, place) => (
                <tr key={place}>{row.map((text, column) => drawCell('td', text, column, block.align))}</tr>
              ))}
            </tbody>
          </table>
        </div>
      )
    case 'rule':
      return <hr key={index} />
    default:
      return block satisfies never
  }
}

function drawItem(blocks: readonly Block[]): ReactNode {
  const [first, ...rest] = blocks
  if (first?.kind !== 'paragraph') return blocks.map(drawBlock)
  return [drawText(first.text), ...rest.map(drawBlock)]
}

const drawCell = (
  Cell: 'th' | 'td',
  text: string,
  column: number,
  align: Extract<Block, { kind: 'table' }>['align'],
) => (
  <Cell key={column} data-align={align[column] || undefined}>
    {drawText(text)}
  </Cell>
)

const drawText = (text: string): ReactNode => parseInline(text).map(drawInline)

function drawInline(inline: Inline, index: number): ReactNode {
  switch (inline.kind) {
    case 'text':
      return inline.text
    case 'code':
      return <code key={index}>{inline.text}</code>
    case 'strong':
      return <strong key={index}>{inline.children.map(drawInline)}</strong>
    case 'emphasis':
      return <em key={index}>{inline.children.map(drawInline)}</em>
    case 'link':
      return (
        <a key={index} href={inline.href} target="_blank" rel="noopener noreferrer">
          {inline.children.map(drawInline)}
        </a>
      )
    case 'break':
      return <br key={index} />
    default:
      return inline satisfies never
  }
}
