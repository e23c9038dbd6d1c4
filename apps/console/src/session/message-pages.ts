import type { ApiClient } from '@parley/api-client'
import type { SessionId, SessionMessage, SessionView } from '@parley/contracts'

/** How many messages are loaded at first: more than are in sight. */
const PAGE = 40

/** How many of those before are loaded at a time, by somebody who scrolls. */
const EARLIER_PAGE = 100

/** The end of the session's messages. More than a page where some came while they were loaded. */
export async function lastMessages(
  client: ApiClient,
  { sessionId, messageCount }: SessionView,
): Promise<readonly SessionMessage[]> {
  return read(client, sessionId, { after: Math.max(0, messageCount - PAGE), upTo: Infinity })
}

/** The page that comes before these messages. */
export async function messagesBefore(
  client: ApiClient,
  { sessionId }: SessionView,
  messages: readonly SessionMessage[],
): Promise<readonly SessionMessage[]> {
  const upTo = firstNumber(messages) - 1
  return read(client, sessionId, { after: Math.max(0, upTo - EARLIER_PAGE), upTo })
}

/** The server gives fewer than it was asked for where they are long. */
async function read(
  client: ApiClient,
  sessionId: SessionId,
  { after, upTo }: { after: number; upTo: number },
): Promise<readonly SessionMessage[]> {
  const messages: SessionMessage[] = []
  let seen: number | undefined = after
  while (seen !== undefined && seen < upTo) {
    const limit = Math.min(EARLIER_PAGE, upTo - seen)
    const { items, nextCursor } = await client.sessions.messages({ sessionId, after: seen, limit })
    messages.push(...items)
    seen = nextCursor === undefined ? undefined : Number(nextCursor)
  }
  return messages
}

export const hasEarlier = (messages: readonly SessionMessage[]): boolean => firstNumber(messages) > 1

const firstNumber = (messages: readonly SessionMessage[]) => messages[0]?.sequenceNumber ?? 1
