import type { AgentSession, OpenTurn, SessionId, TurnId } from '@parley/contracts'
import { newSession } from '@parley/engine/testing'
import { expect, test } from 'vitest'
import { renderSessionTable } from './session-table.ts'
import { createStyle } from './style.ts'

const AT = '2026-11-15T14:03:00.000Z'

function lineOf(given: Partial<AgentSession>, state?: OpenTurn['state'], columns = 80): string | undefined {
  const [session] = newSession('ses_abcdefghijk' as SessionId, AT, { title: 'Talk', ...given })
  const openTurn = state && { openTurn: { turnId: 'trn_1' as TurnId, state } }
  const table = renderSessionTable([{ session, lastSequence: 1, ...openTurn }], columns, createStyle(false))
  return table.split('\n')[1]
}

test.each<[string, Partial<AgentSession>, OpenTurn['state'] | undefined, RegExp]>([
  ['at rest', {}, undefined, /0 {2}Talk$/],
  ['running', {}, 'running', /0 {2}\[running\] Talk$/],
  ['waiting', {}, 'waiting', /0 {2}\[waiting\] Talk$/],
  ['interrupted', {}, 'interrupted', /0 {2}\[interrupted\] Talk$/],
  ['ended', { status: 'ended' }, undefined, /0 {2}\[ended\] Talk$/],
  ['without a title', { title: '' }, 'running', /0 {2}\[running\] untitled$/],
])('a session is marked by how it stands: %s', (_, given, state, expected) => {
  expect(lineOf(given, state)).toMatch(expected)
})

test('a mark and a long title share the line', () => {
  const line = lineOf({ title: 'word '.repeat(40) }, 'interrupted')
  expect(line?.length).toBeLessThanOrEqual(80)
  expect(line).toMatch(/…$/)
})
