import { styleText } from 'node:util'
import type { SessionMessage } from '@parley/contracts'
import type { Config } from '../config.ts'
import type { Highlight } from './markdown/highlight.ts'
import type { MarkdownLook } from './markdown/markdown.ts'

export interface ScreenLook {
  readonly style: Style
  /** The width to lay out by. */
  readonly columns: number
  /** Whether a person looks at it, line by line. */
  readonly isTerminal: boolean
  /** Whether what was written can be drawn over. */
  readonly redraws?: boolean | undefined
  /** Present where Markdown is shown as what it means; elsewhere it stands as it was written. */
  readonly markdown?: Pick<MarkdownLook, 'links' | 'highlight'> | undefined
}

export function screenOf(stream: NodeJS.WriteStream, { colours, links, escapes }: Config): ScreenLook {
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

/** Emphasis where the reader's screen has it; plain text elsewhere. */
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

/** Takes a while the first time; nobody needs it before there is code to show. */
export function loadHighlight(): Promise<Highlight> {
  loading ??= import('./markdown/highlight.ts').then(({ createHighlight }) => createHighlight())
  return loading
}

export const mayHoldCode = (text: string): boolean => text.includes('```') || text.includes('~~~')

/** The look for these messages: with colours for code, if they hold any. */
export async function lookFor(look: ScreenLook, messages: readonly SessionMessage[]): Promise<ScreenLook> {
  const holdsCode = messages.some(({ content }) =>
    content.some((part) => part.type === 'text' && mayHoldCode(part.text)),
  )
  if (!look.markdown || !holdsCode) return look
  return { ...look, markdown: { ...look.markdown, highlight: await loadHighlight() } }
}
