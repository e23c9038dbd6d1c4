import { PlatformError, type SessionId, type TurnId } from '@parley/contracts'
import type { Run } from '../run-statements.ts'
import { statement } from '../statement.ts'

/** The reason why a session refused a write. */
export async function explainRefusal(run: Run, sessionId: SessionId): Promise<PlatformError> {
  const [row] = await run<{ status: string; lease_turn_id: TurnId | null }>(FIND_STATE, [sessionId])
  if (!row) return new PlatformError('session_not_found', { sessionId })
  if (row.status === 'ended') return new PlatformError('session_ended', { sessionId })
  return createBusyError(sessionId, row.lease_turn_id)
}

const FIND_STATE = statement('select status, lease_turn_id from agent_sessions where id = $1')

export const createBusyError = (sessionId: SessionId, turnId: TurnId | null) =>
  new PlatformError('session_busy', { sessionId, ...(turnId && { turnId }) })
