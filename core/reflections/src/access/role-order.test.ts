import type { Role } from '@parley/contracts'
import { expect, test } from 'vitest'
import { pickLowerRole } from './session-role.ts'

test.each<[Role, Role | undefined, Role | undefined]>([
  ['owner', 'owner', 'owner'],
  ['operator', 'viewer', 'viewer'],
  ['viewer', 'admin', 'viewer'],
  ['operator', undefined, undefined],
  ['guest', undefined, 'guest'],
])('[V4] a person with the role %s at the start and %s now counts as %s', (then, now, expected) => {
  expect(pickLowerRole(then, now)).toBe(expected)
})
