import type { AgentSession } from '@parley/contracts'
import { shortId } from '../session/short-id.ts'
import { localTime } from './local-time.ts'
import { neutralise } from './neutralise.ts'
import type { Style } from './style.ts'
import { fitText } from './text-width.ts'

/** Sessions as a table with a line each. */
export function renderSessionTable(sessions: readonly AgentSession[], columns: number, style: Style): string {
  const head = style.dim(row('ID', 'LAST USED', 'MESSAGES', 'TITLE'))
  const rows = sessions.map(({ id, updatedAt, messageCount, title }) => {
    const before = row(shortId(id), localTime(updatedAt), String(messageCount), '')
    const line = neutralise(title ?? '').replace(/\s+/g, ' ')
    return `${before}${line === '' ? style.dim('untitled') : fitText(line, Math.max(10, columns - before.length))}`
  })
  return [head, ...rows, ''].join('\n')
}

const row = (id: string, when: string, messages: string, title: string): string =>
  `${id.padEnd(8)}  ${when.padEnd(16)}  ${messages.padStart(8)}  ${title}`
