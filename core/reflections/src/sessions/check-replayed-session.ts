import { PlatformError, type SessionId } from '@parley/contracts'
import { mayEnterSession } from '../access/may-enter.ts'
import { createInvalidLinkError } from '../sharing/start-visit.ts'
import {
  createNoSessionError,
  enterSession,
  refuseOutdatedPrompt,
  type SessionAccessHost,
  type SessionCaller,
} from './enter-session.ts'

/**
 * Throws unless the stored response of a start may be sent again: the session still runs, its person has kept the access
 * to it, and its prompt holds nothing that was unpublished or removed. Visitors have no id: their link and key stand for one.
 */
export async function checkReplayedSession(
  caller: SessionCaller | undefined,
  sessionId: SessionId,
  host: SessionAccessHost,
): Promise<void> {
  const row = await host.sessionRows.find(sessionId)
  if (row) {
    if (!(await mayEnterSession(caller ?? row, row, 'read', host)))
      throw caller ? createNoSessionError(sessionId) : createInvalidLinkError()
    await refuseOutdatedPrompt({ row }, host)
    refuseEnded(sessionId, row)
    return
  }
  if (!caller) throw createInvalidLinkError()
  const { session } = await enterSession(caller, sessionId, 'read', host)
  refuseEnded(sessionId, session)
}

function refuseEnded(sessionId: SessionId, { status }: { readonly status: string }): void {
  if (status !== 'ended' && status !== 'failed') return
  throw new PlatformError('session_ended', {
    sessionId,
    message: 'The session that this Idempotency-Key started has ended. Use a new key to start another one.',
  })
}
