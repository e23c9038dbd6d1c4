import { Role } from '@parley/contracts'
import { expect, test } from 'vitest'
import { resolveAllowedActions } from './allowed-actions.ts'
import { sessionActions } from './session-actions.ts'

test.each(Role.options)('[V5] off the record a %s hands nothing in', (role) => {
  const grant = { mode: 'reflection', audience: 'private', role } as const
  expect(sessionActions({ ...grant, ingestion: 'off-record' })).toEqual(['retrieve-context'])
  expect(sessionActions({ ...grant, ingestion: 'ingest' })).toEqual(resolveAllowedActions(grant))
})
