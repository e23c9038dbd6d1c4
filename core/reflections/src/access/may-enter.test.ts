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
])('[A3] what %s may do to a session with a reflection', async (_, id, role, given, expected) => {
  const personId = id as PersonId
  const host = { findReflectionRole: async () => role, now: () => 0 } as unknown as SessionRoleHost
  const allowed = await Promise.all(
    USES.map((use) => mayEnterSession({ personId }, { ...session, ...given }, use, host)),
  )
  expect(USES.filter((_use, index) => allowed[index])).toEqual(expected)
})

test.each<[string, string, Role, boolean, readonly SessionUse[]]>([
  ['its person', 'per_ada', 'viewer', false, ['read', 'speak', 'end']],
  ['its person, off the record', 'per_ada', 'viewer', true, ['read', 'speak', 'end']],
  ['an admin of the server', 'per_admin', 'admin', false, ['read', 'speak', 'end']],
  ['an admin of the server, off the record', 'per_admin', 'admin', true, ['end']],
  ['an operator', 'per_operator', 'operator', false, []],
  ['an operator, off the record', 'per_operator', 'operator', true, []],
])('[A3] what %s may do to a session without a reflection', (_, id, role, isOffRecord, expected) => {
  const withAgent = { personId: session.personId, partner: 'agent' as const, isOffRecord }
  expect(USES.filter((use) => mayEnter({ personId: id as PersonId, role }, withAgent, use))).toEqual(expected)
})
