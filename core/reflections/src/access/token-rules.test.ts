import type { Reflection, SessionId } from '@parley/contracts'
import { expect, test } from 'vitest'
import {
  checkTokenNamespaces,
  decideSignInExpiry,
  decideTokenExpiry,
  refuseOtherSession,
} from './token-rules.ts'

const NOW = Date.parse('2026-01-01T00:00:00Z')

test.each<[string | undefined, string]>([
  [undefined, '2026-04-01T00:00:00.000Z'],
  ['2026-01-02T00:00:00+01:00', '2026-01-01T23:00:00.000Z'],
  ['2027-01-02T00:00:00Z', '2027-01-02T00:00:00.000Z'],
])('[A2] a token with the requested expiry %s expires at %s', (requested, expected) => {
  expect(decideTokenExpiry(requested, NOW)).toBe(expected)
})

test.each(['2026-01-01T00:00:00Z', '2027-01-02T00:00:01Z', 'tomorrow'])(
  '[A2] a token with the requested expiry %s is refused',
  (requested) => {
    expect(() => decideTokenExpiry(requested, NOW)).toThrow(expect.objectContaining({ code: 'validation' }))
  },
)

test.each<[string, number | undefined, string]>([
  ['whose token has no end', undefined, '2026-01-31T00:00:00.000Z'],
  ['whose token ends later', NOW + 40 * 86_400_000, '2026-01-31T00:00:00.000Z'],
  ['whose token ends earlier', NOW + 3_600_000, '2026-01-01T01:00:00.000Z'],
])('[A2] a page %s is signed in until %s', (_, until, expected) => {
  expect(decideSignInExpiry(until, NOW)).toBe(expected)
})

const reflection = { namespaces: [{ name: 'essays', isPublished: false }] } as unknown as Reflection

test.each([
  ['admin', 'all'],
  ['viewer', 'all'],
  ['viewer', ['essays']],
  ['operator', []],
] as const)('[A1] a token for the role %s may read the namespaces %j', (role, namespaces) => {
  const token = { role, namespaces: namespaces === 'all' ? namespaces : [...namespaces] }
  expect(() => checkTokenNamespaces(token, reflection)).not.toThrow()
})

test.each([
  ['owner', ['essays']],
  ['admin', ['essays']],
  ['viewer', ['diary']],
] as const)('[A1] a token for the role %s is refused with the namespaces %j', (role, namespaces) => {
  const token = { role, namespaces: [...namespaces] }
  expect(() => checkTokenNamespaces(token, reflection)).toThrow(
    expect.objectContaining({ code: 'validation' }),
  )
})

test('[A3] a visitor uses only their own session', () => {
  const own = 'ses_own' as SessionId
  for (const requested of [own, undefined]) expect(() => refuseOtherSession(own, requested)).not.toThrow()
  expect(() => refuseOtherSession(own, 'ses_other')).toThrow(
    expect.objectContaining({ code: 'session_not_found' }),
  )
})
