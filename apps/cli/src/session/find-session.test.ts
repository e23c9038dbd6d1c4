import type { SessionId } from '@parley/contracts'
import { createMemorySessionStore, createTestSession } from '@parley/engine/testing'
import { expect, test } from 'vitest'
import { findSession } from './find-session.ts'

async function storeWith(...ids: readonly string[]) {
  const store = createMemorySessionStore()
  for (const [index, id] of ids.entries()) {
    const at = new Date(Date.UTC(2026, 0, 1, 0, index)).toISOString()
    await store.create(...createTestSession(id as SessionId, at, { title: `Talk ${id}` }))
  }
  return store
}

test.each([
  ['the whole id', 'ses_abc1', 'ses_abc1'],
  ['the id without its prefix', 'abc1', 'ses_abc1'],
  ['a unique start', 'b', 'ses_bcd'],
  ['a start with the prefix', 'ses_b', 'ses_bcd'],
  ['capitals', 'BCD', 'ses_bcd'],
  ['an id that is the start of another', 'ses_abc', 'ses_abc'],
  ['no id: the latest', undefined, 'ses_bcd'],
])('a session is found by %s', async (_, given, expected) => {
  const store = await storeWith('ses_abc', 'ses_abc1', 'ses_abd', 'ses_bcd')
  expect((await findSession(store, given)).session.id).toBe(expected)
})

test('an ambiguous start is refused, and the matches are named', async () => {
  const store = await storeWith('ses_abc1', 'ses_abd', 'ses_bcd')
  await expect(findSession(store, 'ab')).rejects.toMatchObject({
    code: 'validation',
    message: 'The ids of 2 sessions start with "ab". Type more of the id.',
    detail: { fix: 'abd  Talk ses_abd\nabc1  Talk ses_abc1' },
  })
})

test.each(['zzz', '../x', '%'])('"%s" matches no session', async (given) => {
  await expect(findSession(await storeWith('ses_abc'), given)).rejects.toMatchObject({
    code: 'session_not_found',
  })
})

test.each([
  ['ses_', 'Every id starts with "ses_". Type more of the id.'],
  ['', 'Session ID is empty.'],
])('"%s" is too short to find a session', async (given, message) => {
  await expect(findSession(await storeWith('ses_abc'), given)).rejects.toMatchObject({
    code: 'validation',
    message,
    detail: { fix: '`parley sessions` lists the ids.' },
  })
})

test('a session beyond the first page is found', async () => {
  const ids = Array.from({ length: 450 }, (_, index) => `ses_x${String(index).padStart(3, '0')}`)
  expect((await findSession(await storeWith(...ids), 'x000')).session.id).toBe('ses_x000')
})
