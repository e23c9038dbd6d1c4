import { type MemberRole, PlatformError, type Role } from '@parley/contracts'
import { expect, test } from 'vitest'
import { mayMakeToken } from './may-make-token.ts'

const isMade = (onServer: Role, onReflection: MemberRole | undefined, role: Role): boolean => {
  try {
    mayMakeToken({ onServer, ...(onReflection && { onReflection }) }, role)
    return true
  } catch (failure) {
    expect(failure instanceof PlatformError && failure.code).toBe('forbidden')
    return false
  }
}

test.each<[string, Role, MemberRole | undefined, Role, boolean]>([
  ['an owner of the server makes another', 'owner', undefined, 'owner', true],
  ['an admin of the server makes no owner of it', 'admin', undefined, 'owner', false],
  ['an operator of the server makes nobody anything', 'operator', undefined, 'guest', false],
  ['who owns a reflection makes nobody anything on the server', 'viewer', undefined, 'viewer', false],
  ['who owns a reflection makes another owner of it', 'viewer', 'owner', 'owner', true],
  ['an admin of a reflection makes another', 'viewer', 'admin', 'admin', true],
  ['an admin of a reflection makes no owner of it', 'viewer', 'admin', 'owner', false],
  ['an admin of the server, too', 'admin', 'admin', 'owner', false],
  ['an operator of a reflection makes no guest of it', 'admin', 'operator', 'guest', false],
])('[A2] %s', (_, onServer, onReflection, role, expected) => {
  expect(isMade(onServer, onReflection, role)).toBe(expected)
})
