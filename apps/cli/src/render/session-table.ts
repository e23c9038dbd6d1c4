import type { SessionRecord } from '@parley/engine'
import { shortId } from '../session/short-id.ts'
import { localTime } from './local-time.ts'
import { inLine } from './in-line.ts'
import type { Style } from './style.ts'
import { fitText } from './text-width.ts'

/** Sessions as a table with a line each; one that is not simply at rest is marked. */
export function renderSessionTable(records: readonly SessionRecord[], columns: number, style: Style): string {
  const head = style.dim(row('ID', 'LAST USED', 'MESSAGES', 'TITLE'))
  const rows = records.map((record) => {
    const { id, updatedAt, messageCount, title } = record.session
    const before = row(shortId(id), localTime(updatedAt), String(messageCount), '')
    const mark = markOf(record)
    const line = inLine(title ?? '')
    const room = Math.max(10, columns - before.length - mark.length)
    return `${before}${mark && style.warn(mark)}${line === '' ? style.dim('untitled') : fitText(line, room)}`
  })
  return [head, ...rows, ''].join('\n')
}

function markOf({ session, openTurn }: SessionRecord): string {
  const state = openTurn?.state ?? (session.status === 'ended' ? 'ended' : undefined)
  return state === undefined ? '' : `[${state}] `
}

const row = (id: string, when: string, messages: string, title: string): string =>
  `${id.padEnd(8)}  ${when.padEnd(16)}  ${messages.padStart(8)}  ${title}`
