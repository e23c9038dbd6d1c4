import type { Config } from '../config.ts'
import type { MarkdownLook } from './markdown/markdown.ts'
import { createStyle, type Style } from './style.ts'

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
