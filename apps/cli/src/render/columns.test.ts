import { expect, test } from 'vitest'
import type { AgentSession, OpenTurn, SessionId, TurnId } from '@parley/contracts'
import { createTestSession } from '@parley/engine/testing'
import { renderColumns, renderSessionTable } from './columns.ts'
import { createStyle } from './display.ts'

const HEAD = ['NAME', 'ADDRESS', 'FROM']
const ROWS = [
  ['local', 'http://127.0.0.1:11434/v1', '/home/ada/.parley/config.toml'],
  ['offline', 'this machine', 'built in'],
]
const renderLines = (columns?: number) =>
  renderColumns(HEAD, ROWS, createStyle(false), columns ? { columns, yielding: [2, 1] } : undefined).split(
    '\n',
  )

test('columns are as wide as their content', () => {
  expect(renderLines()[1]).toBe('local    http://127.0.0.1:11434/v1  /home/ada/.parley/config.toml')
  expect(renderLines(80)).toEqual(renderLines())
})

test.each([60, 40, 30])('in %d columns long cells wrap and nothing is lost', (columns) => {
  const room = { columns, yielding: [1, 2], wraps: true as const }
  const lines = renderColumns(HEAD, ROWS, createStyle(false), room).split('\n')
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns)
  const places = ['NAME', 'ADDRESS', 'FROM'].map((name) => lines[0]?.indexOf(name) ?? 0)
  const last = lines.findIndex((line) => line.startsWith('offline'))
  const column = (from = 0, to?: number) =>
    lines
      .slice(1, last)
      .map((line) => line.slice(from, to).trim())
      .join('')
  expect(column(places[1], places[2])).toBe('http://127.0.0.1:11434/v1')
  expect(column(places[2])).toBe('/home/ada/.parley/config.toml')
})

test.each([
  [55, 'local    http://127.0.0.1:11434/v1  /home/ada…nfig.toml'],
  [35, 'local    http://…11434/v1  /ho…toml'],
])('in %d columns the yielding cells lose their middle', (columns, expected) => {
  expect(renderLines(columns)[1]).toBe(expected)
  for (const line of renderLines(columns)) expect(line.length).toBeLessThanOrEqual(columns)
})

const AT = '2026-11-15T14:03:00.000Z'

function lineOf(given: Partial<AgentSession>, state?: OpenTurn['state'], columns = 80): string | undefined {
  const [session] = createTestSession('ses_abcdefghijk' as SessionId, AT, { title: 'Talk', ...given })
  const openTurn = state && { openTurn: { turnId: 'trn_1' as TurnId, state } }
  const table = renderSessionTable([{ ...session, ...openTurn }], columns, createStyle(false))
  return table.split('\n')[1]
}

test.each<[string, Partial<AgentSession>, OpenTurn['state'] | undefined, RegExp]>([
  ['idle', {}, undefined, /0 {2}Talk$/],
  ['running', {}, 'running', /0 {2}\[running\] Talk$/],
  ['waiting', {}, 'waiting', /0 {2}\[waiting\] Talk$/],
  ['interrupted', {}, 'interrupted', /0 {2}\[interrupted\] Talk$/],
  ['ended', { status: 'ended' }, undefined, /0 {2}\[ended\] Talk$/],
  ['spoken', { channel: 'voice' }, undefined, /0 {2}\[voice\] Talk$/],
  ['spoken and ended', { channel: 'voice', status: 'ended' }, undefined, /0 {2}\[voice, ended\] Talk$/],
  ['without a title', { title: '' }, 'running', /0 {2}\[running\] untitled$/],
])('a session is marked with its state: %s', (_, given, state, expected) => {
  expect(lineOf(given, state)).toMatch(expected)
})

test('the partner is shown before the title, if given', () => {
  const [session] = createTestSession('ses_abcdefghijk' as SessionId, AT, { title: 'Talk' })
  const both = [session, { ...session, agentSlug: '漢字漢字' }]
  const table = renderSessionTable(both, 80, createStyle(false), ({ agentSlug }) => agentSlug)
  const [head, first, second] = table.split('\n')
  const width = Math.max(session.agentSlug.length, 8)
  expect(head).toBe(`${'ID'.padEnd(8)}  ${'LAST USED'.padEnd(16)}  MESSAGES  ${'WITH'.padEnd(width)}  TITLE`)
  expect(first?.endsWith(`0  ${session.agentSlug.padEnd(width)}  Talk`)).toBe(true)
  expect(second?.endsWith(`0  漢字漢字${' '.repeat(width - 8)}  Talk`)).toBe(true)
})

test('a mark and a long title share the line', () => {
  const line = lineOf({ title: 'word '.repeat(40) }, 'interrupted')
  expect(line?.length).toBeLessThanOrEqual(80)
  expect(line).toMatch(/…$/)
})
