import { expect, test } from 'vitest'
import { lookNote } from './look-form.tsx'

test.each([
  ['private', 'viewer', /^Recap and context are your own/],
  ['private', 'guest', /^Nobody comes in private as a guest/],
  ['public', 'guest', /^As a visitor, who is nobody/],
  ['public', 'owner', /another role would change nothing/],
] as const)('[V7] %s, %s', (audience, role, expected) => {
  expect(lookNote({ audience, role })).toMatch(expected)
})
