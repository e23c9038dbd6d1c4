import type { SessionId, SessionMessage } from '@parley/contracts'
import type { SessionStore } from '../ports/session-store.ts'

const PAGE = { limit: 500, maxBytes: 4_000_000 }

/** The messages of a session, up to a number, read in pages. */
export async function readAllMessages(
  store: Pick<SessionStore, 'readMessages'>,
  sessionId: SessionId,
  upTo = Infinity,
): Promise<readonly SessionMessage[]> {
  const messages: SessionMessage[] = []
  while (messages.length < upTo) {
    const page = await store.readMessages(sessionId, { after: messages.length, ...PAGE })
    if (page.length === 0) break
    messages.push(...page)
  }
  return messages.slice(0, upTo)
}
