import type { ApiClient } from '@parley/api-client'
import type { SessionId, SessionMessage, SessionView } from '@parley/contracts'

/** Messages loaded at first: more than fit on screen. */
const PAGE = 40

/** Earlier messages loaded at a time. */
const EARLIER_PAGE = 100

/** The last messages. More than a page if some arrived during loading. */
export async function loadLastMessages(
  client: ApiClient,
  { sessionId, messageCount }: SessionView,
): Promise<readonly SessionMessage[]> {
  return readMessages(client, sessionId, { after: Math.max(0, messageCount - PAGE), upTo: Infinity })
}

/** The page before these messages. */
export async function loadMessagesBefore(
  client: ApiClient,
  { sessionId }: SessionView,
  messages: readonly SessionMessage[],
): Promise<readonly SessionMessage[]> {
  const upTo = firstSequenceNumber(messages) - 1
  return readMessages(client, sessionId, { after: Math.max(0, upTo - EARLIER_PAGE), upTo })
}

/** The server returns shorter pages for long messages. */
async function readMessages(
  client: ApiClient,
  sessionId: SessionId,
  { after, upTo }: { after: number; upTo: number },
): Promise<readonly SessionMessage[]> {
  const messages: SessionMessage[] = []
  let cursor: number | undefined = after
  while (cursor !== undefined && cursor < upTo) {
    const limit = Math.min(EARLIER_PAGE, upTo - cursor)
    const { items, nextCursor } = await client.sessions.messages({ sessionId, after: cursor, limit })
    messages.push(...items)
    cursor = nextCursor === undefined ? undefined : Number(nextCursor)
  }
  return messages
}

export const hasEarlierMessages = (messages: readonly SessionMessage[]): boolean =>
  firstSequenceNumber(messages) > 1

const firstSequenceNumber = (messages: readonly SessionMessage[]) => messages[0]?.sequenceNumber ?? 1
