import type { PersonId, ReflectionId, Role } from '@parley/contracts'
import { expect, test } from 'vitest'
import type { ReflectionSession } from '../ports/reflection-session-store.ts'
import { mayEnter, mayEnterSession, type SessionRight } from './may-enter.ts'
import type { SessionRoleHost } from './session-role.ts'

const session = {
  reflectionId: 'rfl_1' as ReflectionId,
  personId: 'per_ada' as PersonId,
  role: 'viewer',
  ingestion: 'keep-only',
} as ReflectionSession

const ACCESSES: readonly SessionRight[] = ['read', 'write', 'end']

test.each<[string, string, Role | undefined, Partial<ReflectionSession>, readonly SessionRight[]]>([
  ['its person', 'per_ada', 'viewer', {}, ['read', 'write', 'end']],
  ['its person, off the record', 'per_ada', 'viewer', { ingestion: 'off-record' }, ['read', 'write', 'end']],
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
    ACCESSES.map((access) => mayEnterSession({ personId }, { ...session, ...given }, access, host)),
  )
  expect(ACCESSES.filter((_access, index) => allowed[index])).toEqual(expected)
})

test.each<[string, string, Role, boolean, readonly SessionRight[]]>([
  ['its person', 'per_ada', 'viewer', false, ['read', 'write', 'end']],
  ['its person, off the record', 'per_ada', 'viewer', true, ['read', 'write', 'end']],
  ['an admin of the server', 'per_admin', 'admin', false, ['read', 'write', 'end']],
  ['an admin of the server, off the record', 'per_admin', 'admin', true, ['end']],
  ['an operator', 'per_operator', 'operator', false, []],
  ['an operator, off the record', 'per_operator', 'operator', true, []],
])('[A3] what %s may do to a session without a reflection', (_, id, role, isOffRecord, expected) => {
  const withAgent = { personId: session.personId, partner: 'agent' as const, isOffRecord }
  expect(
    ACCESSES.filter((access) => mayEnter({ personId: id as PersonId, role }, withAgent, access)),
  ).toEqual(expected)
})
