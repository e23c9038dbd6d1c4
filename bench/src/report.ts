import { isReached, computeRatio, type BenchRow, type RowTarget } from './row.ts'

export interface BenchResult {
  /** The machine's load over 1, 5 and 15 minutes before the run. */
  readonly load: readonly number[]
  readonly rows: readonly BenchRow[]
}

/** For programs. Rows without a target are omitted. */
export function formatJson({ load, rows }: BenchResult): string {
  const cases = rows.flatMap((row) => {
    const { case: name, store, ours, floor, target } = row
    if (!target) return []
    const place = store === undefined ? {} : { store }
    return [
      {
        case: name,
        ...place,
        ours,
        floor,
        ratio: computeRatio(row),
        target: getLimit(target),
        reached: isReached(row, target),
      },
    ]
  })
  return `${JSON.stringify({ load, cases }, undefined, 2)}\n`
}

const HEADINGS = ['case', 'store', 'ours', 'floor', 'ratio', 'target', '']

/** For people. */
export function formatTable({ load, rows }: BenchResult): string {
  const lines = [HEADINGS, ...rows.map(toCells)]
  const widths = HEADINGS.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)))
  const laidOut = lines.map((line) =>
    line.map((cell, column) => pad(cell, widths[column] ?? 0, column)).join('  '),
  )
  const [heading = '', ...rest] = laidOut.map((line) => line.trimEnd())
  const loads = load.map((value) => value.toFixed(2)).join(' ')
  return [
    `Load of the machine at the start: ${loads}`,
    '',
    heading,
    '-'.repeat(heading.length),
    ...rest,
    '',
  ].join('\n')
}

function toCells(row: BenchRow): readonly string[] {
  const { case: name, store = '', unit, ours, floor, target } = row
  const values = [
    `${formatNumber(ours)} ${unit}`,
    `${formatNumber(floor)} ${unit}`,
    computeRatio(row).toFixed(2),
  ]
  const goal = target
    ? [formatTarget(target, unit), isReached(row, target) ? 'reached' : 'NOT REACHED']
    : ['–', '']
  return [name, store, ...values, ...goal]
}

function formatTarget(target: RowTarget, unit: BenchRow['unit']): string {
  if ('oursBelow' in target) return `< ${target.oursBelow} ${unit}`
  return `${'atMost' in target ? '≤' : '≥'} ${getLimit(target)}`
}

function getLimit(target: RowTarget): number {
  if ('oursBelow' in target) return target.oursBelow
  return 'atMost' in target ? target.atMost : target.atLeast
}

/** Three digits are as precise as the measurement. */
const formatNumber = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toPrecision(3)

const RIGHT = new Set([2, 3, 4])

const pad = (cell: string, width: number, column: number): string =>
  RIGHT.has(column) ? cell.padStart(width) : cell.padEnd(width)
