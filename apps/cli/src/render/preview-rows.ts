import type { Preview } from '@parley/contracts'
import { breakRows } from './break-rows.ts'
import { reveal } from './neutralise.ts'
import type { ScreenLook } from './screen-of.ts'
import type { Style } from './style.ts'

type PreviewLook = Pick<ScreenLook, 'style' | 'columns' | 'markdown'>

/** What a person judges a call by, in rows of the screen: each behind a bar, so that nothing in it looks like ours. */
export function previewRows({ kind, text }: Preview, look: PreviewLook): readonly string[] {
  const { style, columns } = look
  const bars = look.markdown ? { first: '│ ', further: '┊ ' } : { first: '| ', further: ': ' }
  const lines = reveal(text.replace(/\n$/, '')).replaceAll('\t', TAB).split('\n')
  const paintOf = kind === 'diff' ? createDiffPainter(lines, style) : () => plain
  return lines.flatMap((line) => {
    const paint = paintOf(line)
    return breakRows(line, columns - BAR_WIDTH - 1).map(
      (row, index) => style.dim(index === 0 ? bars.first : bars.further) + paint(row),
    )
  })
}

/** The beginning and the end of what is longer than there is room for. */
export function headAndTail(
  rows: readonly string[],
  most: number,
  { style }: PreviewLook,
): readonly string[] {
  if (rows.length <= most) return rows
  const head = Math.ceil(((most - 1) * 2) / 3)
  const tail = most - 1 - head
  const left = rows.length - head - tail
  return [
    ...rows.slice(0, head),
    style.warn(`[${left === 1 ? '1 line is' : `${left} lines are`} left out here]`),
    ...rows.slice(rows.length - tail),
  ]
}

const TAB = '    '
const BAR_WIDTH = 2

type Paint = (row: string) => string
const plain: Paint = (row) => row

/** Within a hunk the first character says what a line is; what stands around hunks only names files. */
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
  // What is too long comes with a line that says how much of it was left out.
  '…': ({ warn }) => warn,
}
