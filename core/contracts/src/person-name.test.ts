import { expect, test } from 'vitest'
import { InviteMember } from './reflection.ts'
import { CreateToken } from './token-bodies.ts'

test.each([
  ['Ada Winter', true],
  ['  Ada Winter\n', true],
  ['عائشة', true],
  ['می‌خواهم', true],
  ['李小龍 👩‍🔬', true],
  ['Ada\nWinter', false],
  ['Ada\r\nOwner', false],
  ['Ada\u0000', false],
  ['Ada\u001B[31m', false],
  ['Ada\u0085Owner', false],
  ['Ada\u2028Owner', false],
  ['Ada \u202Eretni\u202C', false],
  ['Ada \u2067Winter\u2069', false],
  ['Ada\u200F', false],
  ['Ada\uD800', false],
  [' ', false],
])('[A1] a person called %j is good: %s', (label, good) => {
  const named = { label, role: 'viewer' }
  expect(InviteMember.safeParse(named).success).toBe(good)
  expect(CreateToken.safeParse(named).success).toBe(good)
})

test('[A1] what is wrong with a name is said', () => {
  const { error } = InviteMember.safeParse({ label: 'Ada\nWinter', role: 'viewer' })
  expect(error?.issues).toMatchObject([
    { path: ['label'], message: expect.stringMatching(/^must be one line/) },
  ])
})
