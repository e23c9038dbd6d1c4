import type { ApiClient } from '@parley/api-client'
import type { SessionId } from '@parley/contracts'
import type { Keep } from '../app/keep.ts'
import { keepOutbox, type Outgoing } from './outbox.ts'

interface StartHost {
  readonly client: ApiClient
  readonly keep: Keep
  readonly newKey: () => string
}

/**
 * Starts a session with its first message, so that nobody leaves an empty one behind. A message that is not taken waits in
 * the session's outbox, where it can be sent again.
 */
export async function startWithMessage(
  text: string,
  { client, keep, newKey }: StartHost,
): Promise<SessionId> {
  const { sessionId } = await client.sessions.start()
  const outgoing: Outgoing = { key: newKey(), text, afterTurn: 0, state: 'sending' }
  keepOutbox(keep, sessionId, [outgoing])
  await client.sessions.send({ sessionId, text, idempotencyKey: outgoing.key }).catch(() => undefined)
  return sessionId
}
