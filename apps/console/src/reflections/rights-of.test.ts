import type { MemberRole } from '@parley/contracts'
import { expect, test } from 'vitest'
import { rightsOf, rolesUpTo } from './rights-of.ts'

test.each<[MemberRole | undefined, boolean, boolean]>([
  ['owner', true, true],
  ['admin', true, true],
  ['operator', true, false],
  ['viewer', false, false],
  [undefined, false, false],
])('[A1] what the role %s on the reflection may do is offered', (role, mayTeach, mayManage) => {
  expect(rightsOf(role)).toEqual({ role, mayTeach, mayManage })
})

test('[A1] nobody is offered a role above their own to give', () => {
  expect(rolesUpTo('admin')).toEqual(['admin', 'operator', 'viewer'])
  expect(rolesUpTo(undefined)).toEqual([])
})
