import type { SessionView } from '@parley/contracts'
import { shortenId } from '../session/find-session.ts'
import { formatLocalTime } from './output.ts'
import type { Style } from './display.ts'
import { breakRows, fitMiddle, fitText, toInlineText, measureText } from './text.ts'

interface TableRoom {
  readonly columns: number
  /** Whether long text wraps; otherwise its middle is cut out. */
  readonly wraps?: true
  /** The columns that shrink, in order. The others hold values to type again. */
  readonly yielding: readonly number[]
}

/** Renders a table; with a `room`, some columns shrink to fit. */
export function renderColumns(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  style: Style,
  room?: TableRoom,
): string {
  const safe = rows.map((row) => row.map((cell) => toInlineText(cell)))
  const natural = head.map((_, index) =>
    Math.max(...[head, ...safe].map((row) => measureText(row[index] ?? ''))),
  )
  const widths = room ? shrinkColumns(natural, room) : natural
  const renderRow = (row: readonly string[]) =>
    row
      .map((cell, index) => {
        const width = widths[index] ?? 0
        const shown = fitMiddle(cell, width)
        return shown + ' '.repeat(width - measureText(shown))
      })
      .join(BETWEEN)
      .trimEnd()
  const lines = room?.wraps ? safe.flatMap((row) => wrapRow(row, widths).map(renderRow)) : safe.map(renderRow)
  return [style.dim(renderRow(head)), ...lines, ''].join('\n')
}

/** Splits a row into several whose cells fit. */
function wrapRow(row: readonly string[], widths: readonly number[]): readonly (readonly string[])[] {
  const cells = row.map((cell, index) => breakRows(cell, widths[index] ?? 0).map((part) => part.trimEnd()))
  const height = Math.max(...cells.map((parts) => parts.length))
  return Array.from({ length: height }, (_, at) => cells.map((parts) => parts[at] ?? ''))
}

const BETWEEN = '  '
const MIN_WIDTH = 8

function shrinkColumns(natural: readonly number[], { columns, yielding }: TableRoom): readonly number[] {
  const widths = [...natural]
  const between = BETWEEN.length * (widths.length - 1)
  let excess = widths.reduce((sum, width) => sum + width, between) - columns
  for (const index of yielding) {
    const width = widths[index] ?? 0
    const cut = Math.max(0, Math.min(excess, width - MIN_WIDTH))
    widths[index] = width - cut
    excess -= cut
  }
  return widths
}

type ListedRow = Pick<
  SessionView,
  'id' | 'channel' | 'updatedAt' | 'messageCount' | 'title' | 'status' | 'openTurn'
>

/** Sessions as a table, with the partner if known; voice and open sessions are marked. */
export function renderSessionTable<Row extends ListedRow>(
  sessions: readonly Row[],
  columns: number,
  style: Style,
  describePartner?: (session: Row) => string,
): string {
  const names = describePartner
    ? sessions.map((session) => fitText(toInlineText(describePartner(session)), MAX_NAME_WIDTH))
    : []
  const width = Math.max('WITH'.length, ...names.map(measureText))
  const renderName = (name: string | undefined) =>
    name === undefined ? '' : `${name}${' '.repeat(width - measureText(name))}  `
  const head = style.dim(
    `${formatRow('ID', 'LAST USED', 'MESSAGES')}${renderName(describePartner && 'WITH')}TITLE`,
  )
  const rows = sessions.map((session, index) => {
    const { id, updatedAt, messageCount, title } = session
    const before = `${formatRow(shortenId(id), formatLocalTime(updatedAt), String(messageCount))}${renderName(names[index])}`
    const mark = renderStateMark(session)
    const line = toInlineText(title ?? '')
    const room = Math.max(10, columns - measureText(before) - mark.length)
    return `${before}${mark && style.warn(mark)}${line === '' ? style.dim('untitled') : fitText(line, room)}`
  })
  return [head, ...rows, ''].join('\n')
}

const MAX_NAME_WIDTH = 18

function renderStateMark({ channel, status, openTurn }: ListedRow): string {
  const state = openTurn?.state ?? (status === 'ended' ? 'ended' : undefined)
  const marks = [...(channel === 'voice' ? ['voice'] : []), ...(state === undefined ? [] : [state])]
  return marks.length === 0 ? '' : `[${marks.join(', ')}] `
}

const formatRow = (id: string, when: string, messages: string): string =>
  `${id.padEnd(8)}  ${when.padEnd(16)}  ${messages.padStart(8)}  `

export const quoteTitle = ({ title }: Pick<SessionView, 'title'>): string =>
  `"${toInlineText(title ?? 'untitled')}"`
