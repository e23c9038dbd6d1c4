import { PlatformError, type SessionId } from '@parley/contracts'
import type { LeaseRow } from './rows.ts'
import type { Statements } from './statements.ts'

export function leaseRowOf({ findLease }: Statements, sessionId: SessionId): LeaseRow {
  const row = findLease.get(sessionId)
  if (!row) throw new PlatformError('session_not_found', { sessionId })
  return row
}

/** Of a session in which no turn is open. */
export function idleRowOf(statements: Statements, sessionId: SessionId): LeaseRow {
  const row = leaseRowOf(statements, sessionId)
  const { lease_turn_id: turnId } = row
  if (turnId !== null) throw new PlatformError('session_busy', { sessionId, turnId })
  return row
}
