import { TAB } from '../text.ts'
import { layOutCode } from './flow.ts'
import type { Highlight } from './highlight.ts'
import { type Row, createSpan } from './inline.ts'

export interface CodeBlock {
  readonly mark: string
  readonly indent: number
  readonly language: string
  /** The lines that determine the colours of the next one. */
  readonly recent: readonly string[]
}

/** The text after a fence starts with the language. */
export function openCode({ mark, indent, info }: { mark: string; indent: number; info: string }): CodeBlock {
  const [word = ''] = info
    .toLowerCase()
    .split(/[\s,{}:.]+/)
    .filter(Boolean)
  return { mark, indent, language: word, recent: [] }
}

interface CodeOptions {
  readonly isWhole: boolean
  readonly width: number
  readonly highlight: Highlight | undefined
}

interface TakenLine {
  readonly rows: readonly Row[]
  /** Undefined once the block is closed. */
  readonly code: CodeBlock | undefined
  readonly line: string
}

/** The rows of a code line; a very long line comes in pieces. */
export function takeCodeLine(
  opened: CodeBlock,
  given: string,
  { isWhole, width, highlight }: CodeOptions,
): TakenLine {
  const rows: Row[] = []
  let code = opened
  let line = given
  const take = (piece: string, colour: Highlight | undefined) => {
    const { indent, language } = code
    const text = piece.replace(new RegExp(`^ {0,${indent}}`), '').replaceAll('\t', TAB)
    const recent = colour ? [...keepRecentLines(code.recent), text] : []
    const coloured = colour?.(recent.join('\n'), language)
    rows.push(...layOutCode(coloured?.at(-1) ?? [createSpan(text)], Math.min(indent, MAX_INDENT) + 2, width))
    code = { ...code, recent }
  }
  while (line.length > MAX_LINE_LENGTH) {
    const piece = takePiece(line)
    take(piece, undefined)
    line = line.slice(piece.length)
  }
  if (!isWhole) return { rows, code, line }
  if (isClosingFence(line, code)) return { rows, code: undefined, line: '' }
  take(line, highlight)
  return { rows, code, line: '' }
}

const MAX_LINE_LENGTH = 1_000
const MAX_RECENT_LINES = 60
const MAX_RECENT_LENGTH = 4_000
const MAX_INDENT = 12

function takePiece(line: string): string {
  const piece = line.slice(0, MAX_LINE_LENGTH)
  return /[\uD800-\uDBFF]$/.test(piece) ? piece.slice(0, -1) : piece
}

function isClosingFence(line: string, { mark }: CodeBlock): boolean {
  const found = line.trim()
  return found.length >= mark.length && found === mark.charAt(0).repeat(found.length)
}

/** Only the lines since the last empty one: little code spans further. */
function keepRecentLines(recent: readonly string[]): readonly string[] {
  const length = recent.reduce((sum, line) => sum + line.length, 0)
  if (recent.length < MAX_RECENT_LINES && length < MAX_RECENT_LENGTH) return recent
  const blank = recent.lastIndexOf('')
  return blank < recent.length / 2 ? [] : recent.slice(blank + 1)
}
