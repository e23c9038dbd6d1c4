import type { PersonId, ReflectionId, Role } from '@parley/contracts'
import { expect, test } from 'vitest'
import type { ReflectionSession } from '../ports/reflection-session-store.ts'
import { mayEnter, mayEnterSession, type SessionUse } from './may-enter.ts'
import type { SessionRoleHost } from './session-role.ts'

const session = {
  reflectionId: 'rfl_1' as ReflectionId,
  personId: 'per_ada' as PersonId,
  role: 'viewer',
  ingestion: 'keep-only',
} as ReflectionSession

const USES: readonly SessionUse[] = ['read', 'speak', 'end']

test.each<[string, string, Role | undefined, Partial<ReflectionSession>, readonly SessionUse[]]>([
  ['its person', 'per_ada', 'viewer', {}, ['read', 'speak', 'end']],
  ['its person, off the record', 'per_ada', 'viewer', { ingestion: 'off-record' }, ['read', 'speak', 'end']],
  ['its person, after losing their membership', 'per_ada', undefined, {}, ['end']],
  ['an owner', 'per_owner', 'owner', {}, ['read', 'end']],
  ['an admin', 'per_admin', 'admin', {}, ['read', 'end']],
  ['an admin, off the record', 'per_admin', 'admin', { ingestion: 'off-record' }, ['end']],
  ['an operator', 'per_operator', 'operator', {}, []],
  ['another viewer', 'per_viewer', 'viewer', {}, []],
  ['a stranger', 'per_eve', undefined, {}, []],
])('[A3] what %s may do to a session', async (_, id, role, given, expected) => {
  const personId = id as PersonId
  const entered = { ...session, ...given }
  expect(USES.filter((use) => mayEnter({ personId, role }, entered, use))).toEqual(expected)

  const host = { roleOn: async () => role, now: () => 0 } as unknown as SessionRoleHost
  const read = await Promise.all(USES.map((use) => mayEnterSession({ personId }, entered, use, host)))
  expect(USES.filter((_use, index) => read[index])).toEqual(expected)
})
