import { describe, expect, test } from 'vitest'
import { Audience, Role, SessionMode } from '@parley/contracts'
import { resolveAllowedActions, sessionActions } from './session-actions.ts'

test.each(Role.options)('[V5] off the record a %s hands nothing in', (role) => {
  const grant = { mode: 'reflection', audience: 'private', role } as const
  expect(sessionActions({ ...grant, ingestion: 'off-record' })).toEqual(['retrieve-context'])
  expect(sessionActions({ ...grant, ingestion: 'ingest' })).toEqual(resolveAllowedActions(grant))
})

const everyone = Role.options.flatMap((role) => SessionMode.options.map((mode) => ({ role, mode })))

describe('allowed actions', () => {
  test.each(everyone)('[V2] [V12] in public a $role in $mode mode only reads', ({ role, mode }) => {
    expect(resolveAllowedActions({ mode, role, audience: 'public' })).toEqual(['retrieve-context'])
  })

  test.each(Role.options)('[V2] an interview with a %s only reads', (role) => {
    for (const audience of Audience.options) {
      expect(resolveAllowedActions({ mode: 'interview', role, audience })).toEqual(['retrieve-context'])
    }
  })

  test.each(['reflection', 'share'] as const)(
    '[V2] in private a %s is written to from operator on',
    (mode) => {
      const writers = Role.options.filter(
        (role) => resolveAllowedActions({ mode, role, audience: 'private' }).length > 1,
      )
      expect(writers).toEqual(['owner', 'admin', 'operator'])
    },
  )
})
