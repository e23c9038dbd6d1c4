import type { Json, Preview } from '@parley/contracts'
import type { Display, Style } from './display.ts'
import { breakRows, revealInvisible } from './text.ts'
import type { DisplayedCall } from './tool-lines.ts'

type PreviewDisplay = Pick<Display, 'style' | 'columns' | 'markdown'>

/**
 * The preview of a call for approval; each row starts with a bar, so that content never looks like our output.
 */
export function renderPreview({ kind, text }: Preview, display: PreviewDisplay): readonly string[] {
  const { style, columns } = display
  const bars = display.markdown ? { first: '│ ', further: '┊ ' } : { first: '| ', further: ': ' }
  const lines = revealInvisible(text.replace(/\n$/, '')).replaceAll('\t', TAB).split('\n')
  const choosePaint = kind === 'diff' ? createDiffPainter(lines, style) : () => plain
  return lines.flatMap((line) => {
    const paint = choosePaint(line)
    return breakRows(line, columns - BAR_WIDTH - 1).map(
      (row, index) => style.dim(index === 0 ? bars.first : bars.further) + paint(row),
    )
  })
}

/** The first and last rows of a long preview. */
export function cutMiddleRows(
  rows: readonly string[],
  most: number,
  { style }: PreviewDisplay,
): readonly string[] {
  if (rows.length <= most) return rows
  const head = Math.ceil(((most - 1) * 2) / 3)
  const tail = most - 1 - head
  const left = rows.length - head - tail
  return [
    ...rows.slice(0, head),
    style.warn(`[${left === 1 ? '1 line is' : `${left} lines are`} omitted]`),
    ...rows.slice(rows.length - tail),
  ]
}

const TAB = '    '
const BAR_WIDTH = 2

type Paint = (row: string) => string
const plain: Paint = (row) => row

/** Inside a hunk the first character tells the kind of a line; other lines name files. */
function createDiffPainter(lines: readonly string[], style: Style): (line: string) => Paint {
  let isInHunk = !lines.some((line) => line.startsWith('@@'))
  return (line) => {
    if (line.startsWith('@@')) isInHunk = true
    else if (!/^(?:[ +\\…-]|$)/.test(line)) isInHunk = false
    if (!isInHunk) return style.dim
    return PAINTS[line.charAt(0)]?.(style) ?? plain
  }
}

const PAINTS: Readonly<Record<string, (style: Style) => Paint>> = {
  '+': ({ good }) => good,
  '-': ({ bad }) => bad,
  '@': ({ dim }) => dim,
  '\\': ({ dim }) => dim,
  // A long preview has a line with the number of omitted lines.
  '…': ({ warn }) => warn,
}

const MAX_ROWS = 12

/** A short diff of a file change that needed no approval; empty for other tools. */
export function renderFileChange({ tool, input }: DisplayedCall, display: Display): readonly string[] {
  const lines = listChanges(tool, input).map((line) => line.slice(0, display.columns))
  if (lines.length === 0) return []
  // Lay out only the visible part of a long text.
  const shown =
    lines.length <= MAX_ROWS
      ? lines
      : [...lines.slice(0, HEAD), `… ${lines.length - HEAD - TAIL} lines are omitted`, ...lines.slice(-TAIL)]
  const columns = display.columns - INDENT.length
  const rows = renderPreview({ kind: 'diff', text: shown.join('\n') }, { ...display, columns })
  return cutMiddleRows(rows, MAX_ROWS, display).map((row) => INDENT + row)
}

const INDENT = '  '
const HEAD = 8
const TAIL = 3

function listChanges(tool: string, input: Json | undefined): readonly string[] {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return []
  if (tool === 'write_file') return prefixLines('+', input['content'])
  if (tool !== 'edit_file') return []
  return [...prefixLines('-', input['old_text']), ...prefixLines('+', input['new_text'])]
}

const prefixLines = (mark: string, text: Json | undefined): readonly string[] =>
  typeof text !== 'string' || text === ''
    ? []
    : text
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => mark + line)
