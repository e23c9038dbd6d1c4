import { expect, test } from 'vitest'
import { explainChoice } from './session-form.tsx'

test.each([
  ['private', 'viewer', /^Recap and context are always your own/],
  ['private', 'guest', /^Guests cannot start private sessions/],
  ['public', 'guest', /^As an anonymous visitor/],
  ['public', 'owner', /other roles make no difference/],
] as const)('[V7] the note for %s, %s', (audience, role, expected) => {
  expect(explainChoice({ audience, role })).toMatch(expected)
})
