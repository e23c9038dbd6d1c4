import type { ApiClient } from '@parley/api-client'
import type { SessionMessage, SessionView } from '@parley/contracts'

/** How many messages are loaded at a time. */
const PAGE = 40

/** The end of the session's messages. More than a page where some came while they were loaded. */
export async function lastMessages(
  client: ApiClient,
  { sessionId, messageCount }: SessionView,
): Promise<readonly SessionMessage[]> {
  const messages: SessionMessage[] = []
  let after: number | undefined = Math.max(0, messageCount - PAGE)
  while (after !== undefined) {
    const { items, nextCursor } = await client.sessions.messages({ sessionId, after, limit: PAGE })
    messages.push(...items)
    after = nextCursor === undefined ? undefined : Number(nextCursor)
  }
  return messages
}

/** The page that comes before these messages. */
export async function messagesBefore(
  client: ApiClient,
  { sessionId }: SessionView,
  messages: readonly SessionMessage[],
): Promise<readonly SessionMessage[]> {
  const before = firstNumber(messages) - 1
  const after = Math.max(0, before - PAGE)
  const { items } = await client.sessions.messages({ sessionId, after, limit: before - after })
  return items
}

export const hasEarlier = (messages: readonly SessionMessage[]): boolean => firstNumber(messages) > 1

const firstNumber = (messages: readonly SessionMessage[]) => messages[0]?.sequenceNumber ?? 1
