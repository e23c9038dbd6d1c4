import type { SessionView } from '@parley/contracts'
import { shortId } from '../session/short-id.ts'
import { localTime } from './local-time.ts'
import { inLine } from './in-line.ts'
import type { Style } from './style.ts'
import { fitText, textWidth } from './text-width.ts'

type Listed = Pick<
  SessionView,
  'id' | 'channel' | 'updatedAt' | 'messageCount' | 'title' | 'status' | 'openTurn'
>

/** Sessions as a table with a line each, and whom they are with where that is told; one that is not simply typed and at rest is marked. */
export function renderSessionTable<Row extends Listed>(
  sessions: readonly Row[],
  columns: number,
  style: Style,
  withWhom?: (session: Row) => string,
): string {
  const names = withWhom ? sessions.map((session) => fitText(inLine(withWhom(session)), WIDEST_NAME)) : []
  const width = Math.max('WITH'.length, ...names.map(textWidth))
  const named = (name: string | undefined) =>
    name === undefined ? '' : `${name}${' '.repeat(width - textWidth(name))}  `
  const head = style.dim(`${row('ID', 'LAST USED', 'MESSAGES')}${named(withWhom && 'WITH')}TITLE`)
  const rows = sessions.map((session, index) => {
    const { id, updatedAt, messageCount, title } = session
    const before = `${row(shortId(id), localTime(updatedAt), String(messageCount))}${named(names[index])}`
    const mark = markOf(session)
    const line = inLine(title ?? '')
    const room = Math.max(10, columns - textWidth(before) - mark.length)
    return `${before}${mark && style.warn(mark)}${line === '' ? style.dim('untitled') : fitText(line, room)}`
  })
  return [head, ...rows, ''].join('\n')
}

const WIDEST_NAME = 18

function markOf({ channel, status, openTurn }: Listed): string {
  const state = openTurn?.state ?? (status === 'ended' ? 'ended' : undefined)
  const marks = [...(channel === 'voice' ? ['voice'] : []), ...(state === undefined ? [] : [state])]
  return marks.length === 0 ? '' : `[${marks.join(', ')}] `
}

const row = (id: string, when: string, messages: string): string =>
  `${id.padEnd(8)}  ${when.padEnd(16)}  ${messages.padStart(8)}  `
