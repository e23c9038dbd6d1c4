import { isReached, ratioOf, type Row, type Target } from './row.ts'

export interface Result {
  /** The machine's load over 1, 5 and 15 minutes, before anything was measured. */
  readonly load: readonly number[]
  readonly rows: readonly Row[]
}

/** For programs. Rows without a target are left out, since there is nothing to hold them against. */
export function asJson({ load, rows }: Result): string {
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
        ratio: ratioOf(row),
        target: limitOf(target),
        reached: isReached(row, target),
      },
    ]
  })
  return `${JSON.stringify({ load, cases }, undefined, 2)}\n`
}

const HEADINGS = ['case', 'store', 'ours', 'floor', 'ratio', 'to reach', '']

/** For people. */
export function asTable({ load, rows }: Result): string {
  const lines = [HEADINGS, ...rows.map(cellsOf)]
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

function cellsOf(row: Row): readonly string[] {
  const { case: name, store = '', unit, ours, floor, target } = row
  const told = [`${shown(ours)} ${unit}`, `${shown(floor)} ${unit}`, ratioOf(row).toFixed(2)]
  const goal = target ? [goalOf(target, unit), isReached(row, target) ? 'reached' : 'NOT REACHED'] : ['–', '']
  return [name, store, ...told, ...goal]
}

function goalOf(target: Target, unit: Row['unit']): string {
  if ('oursBelow' in target) return `< ${target.oursBelow} ${unit}`
  return `${'atMost' in target ? '≤' : '≥'} ${limitOf(target)}`
}

function limitOf(target: Target): number {
  if ('oursBelow' in target) return target.oursBelow
  return 'atMost' in target ? target.atMost : target.atLeast
}

/** Three digits say as much as a measurement does. */
const shown = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toPrecision(3)

const RIGHT = new Set([2, 3, 4])

const pad = (cell: string, width: number, column: number): string =>
  RIGHT.has(column) ? cell.padStart(width) : cell.padEnd(width)
