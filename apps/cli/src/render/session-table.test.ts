import type { AgentSession, OpenTurn, SessionId, TurnId } from '@parley/contracts'
import { newSession } from '@parley/engine/testing'
import { expect, test } from 'vitest'
import { renderSessionTable } from './session-table.ts'
import { createStyle } from './style.ts'

const AT = '2026-11-15T14:03:00.000Z'

function lineOf(given: Partial<AgentSession>, state?: OpenTurn['state'], columns = 80): string | undefined {
  const [session] = newSession('ses_abcdefghijk' as SessionId, AT, { title: 'Talk', ...given })
  const openTurn = state && { openTurn: { turnId: 'trn_1' as TurnId, state } }
  const table = renderSessionTable([{ ...session, ...openTurn }], columns, createStyle(false))
  return table.split('\n')[1]
}

test.each<[string, Partial<AgentSession>, OpenTurn['state'] | undefined, RegExp]>([
  ['at rest', {}, undefined, /0 {2}Talk$/],
  ['running', {}, 'running', /0 {2}\[running\] Talk$/],
  ['waiting', {}, 'waiting', /0 {2}\[waiting\] Talk$/],
  ['interrupted', {}, 'interrupted', /0 {2}\[interrupted\] Talk$/],
  ['ended', { status: 'ended' }, undefined, /0 {2}\[ended\] Talk$/],
  ['spoken', { channel: 'voice' }, undefined, /0 {2}\[voice\] Talk$/],
  ['spoken and over', { channel: 'voice', status: 'ended' }, undefined, /0 {2}\[voice, ended\] Talk$/],
  ['without a title', { title: '' }, 'running', /0 {2}\[running\] untitled$/],
])('a session is marked by how it stands: %s', (_, given, state, expected) => {
  expect(lineOf(given, state)).toMatch(expected)
})

test('whom they are with stands before the title, where that is told', () => {
  const [session] = newSession('ses_abcdefghijk' as SessionId, AT, { title: 'Talk' })
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
