import type { Config } from '../config.ts'
import { createStyle, type Style } from './style.ts'

export interface ScreenLook {
  readonly style: Style
  /** The width to lay out by. */
  readonly columns: number
  /** Whether a person looks at it, line by line. */
  readonly isTerminal: boolean
}

export function screenOf(stream: NodeJS.WriteStream, { colours }: Config): ScreenLook {
  const isTerminal = stream.isTTY
  return {
    isTerminal,
    columns: (isTerminal && stream.columns) || 80,
    style: createStyle(isTerminal && colours),
  }
}
