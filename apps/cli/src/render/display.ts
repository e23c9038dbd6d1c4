import { styleText } from 'node:util'
import type { SessionMessage } from '@parley/contracts'
import type { Environment } from '../environment.ts'
import type { Highlight } from './markdown/highlight.ts'
import type { MarkdownOptions, renderMarkdown } from './markdown/markdown.ts'

export interface Display {
  readonly style: Style
  /** The width for the layout. */
  readonly columns: number
  readonly isTerminal: boolean
  /** Whether output can be redrawn. */
  readonly redraws?: boolean | undefined
  /** Present if Markdown is rendered; else it is shown as written. */
  readonly markdown?: MarkdownDisplay | undefined
}

interface MarkdownDisplay extends Pick<MarkdownOptions, 'links' | 'highlight'> {
  /** Set by `loadMarkdown`. */
  readonly render?: typeof renderMarkdown
}

export function readDisplay(stream: NodeJS.WriteStream, { colours, links, escapes }: Environment): Display {
  const isTerminal = stream.isTTY
  return {
    isTerminal,
    redraws: isTerminal && escapes,
    columns: (isTerminal && stream.columns) || 80,
    style: createStyle(isTerminal && colours),
    ...(isTerminal && colours && { markdown: { links } }),
  }
}

type Paint = (text: string) => string

/** Text styles; plain if the screen has no colours. */
export interface Style {
  readonly bold: Paint
  readonly dim: Paint
  readonly warn: Paint
  readonly good: Paint
  readonly bad: Paint
}

export function createStyle(coloured: boolean): Style {
  const styled = (format: Parameters<typeof styleText>[0]) => (text: string) =>
    coloured ? styleText(format, text, { validateStream: false }) : text
  return {
    bold: styled('bold'),
    dim: styled('dim'),
    warn: styled('yellow'),
    good: styled('green'),
    bad: styled('red'),
  }
}

let loading: Promise<Highlight> | undefined

/** Slow the first time, so it is loaded once there is code to show. */
export function loadHighlight(): Promise<Highlight> {
  loading ??= import('./markdown/highlight.ts').then(({ createHighlight }) => createHighlight())
  return loading
}

export const mayContainCode = (text: string): boolean => text.includes('```') || text.includes('~~~')

/** Loads the renderer of Markdown, and code colours if these messages contain code. */
export async function loadMarkdown(display: Display, messages: readonly SessionMessage[]): Promise<Display> {
  const holdsCode = messages.some(({ content }) =>
    content.some((part) => part.type === 'text' && mayContainCode(part.text)),
  )
  if (!display.markdown) return display
  const { renderMarkdown: render } = await import('./markdown/markdown.ts')
  const highlight = holdsCode ? await loadHighlight() : undefined
  return { ...display, markdown: { ...display.markdown, render, highlight } }
}
