import type { PersonId, ReflectionId, Role } from '@parley/contracts'
import type { ReflectionSession } from '@parley/reflections'
import { expect, test } from 'vitest'
import type { StandingHost } from '../voice/standing-of.ts'
import { mayEnterSession, type SessionUse } from './may-enter-session.ts'

const ADA = 'per_ada' as PersonId
const session = {
  reflectionId: 'rfl_1' as ReflectionId,
  personId: ADA,
  role: 'viewer',
  ingestion: 'keep-only',
} as ReflectionSession

const holding = (role: Role | undefined) => ({ roleOn: async () => role }) as unknown as StandingHost
const USES: readonly SessionUse[] = ['read', 'speak', 'end']

async function usesOf(personId: string, role: Role | undefined, given: Partial<ReflectionSession> = {}) {
  const caller = { personId: personId as PersonId }
  const may = await Promise.all(
    USES.map((use) => mayEnterSession(caller, { ...session, ...given }, use, holding(role))),
  )
  return USES.filter((_, index) => may[index])
}

test.each<[string, string, Role | undefined, Partial<ReflectionSession>, readonly SessionUse[]]>([
  ['its person', 'per_ada', 'viewer', {}, ['read', 'speak', 'end']],
  ['its person, off the record', 'per_ada', 'viewer', { ingestion: 'off-record' }, ['read', 'speak', 'end']],
  ['its person, once let out', 'per_ada', undefined, {}, ['end']],
  ['an owner', 'per_owner', 'owner', {}, ['read', 'end']],
  ['an admin', 'per_admin', 'admin', {}, ['read', 'end']],
  ['an admin, off the record', 'per_admin', 'admin', { ingestion: 'off-record' }, ['end']],
  ['an operator', 'per_operator', 'operator', {}, []],
  ['another viewer', 'per_viewer', 'viewer', {}, []],
  ['a stranger', 'per_eve', undefined, {}, []],
])('[A3] what %s may do to a session', async (_, personId, role, given, expected) => {
  expect(await usesOf(personId, role, given)).toEqual(expected)
})
