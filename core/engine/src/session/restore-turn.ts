import type { SessionId, SessionMessage } from '@parley/contracts'
import type { SessionStore } from '../ports/session-store.ts'
import { unansweredCalls } from '../turn/decide-next.ts'
import { hasFinalText } from './reconstruct-session-state.ts'

/** The last turn of a session, as far as the store has it. */
export interface StoredTurn {
  /** The session's last messages, as many as were needed to find the turn's question. */
  readonly tail: readonly SessionMessage[]
  readonly question: SessionMessage
  /** What came before the question, with markers that came after it. */
  readonly before: readonly SessionMessage[]
  /** What answered it so far, without the steps that came to nothing. */
  readonly transcript: readonly SessionMessage[]
  readonly unanswered: ReturnType<typeof unansweredCalls>
  readonly isAnswered: boolean
}

/** Undefined where nothing was ever said. */
export async function restoreTurn(
  store: SessionStore,
  sessionId: SessionId,
  limit: number,
): Promise<StoredTurn | undefined> {
  const tail = await store.readTail(sessionId, limit)
  const at = tail.findLastIndex(({ role }) => role === 'user')
  const question = tail[at]
  if (!question) return tail.length < limit ? undefined : restoreTurn(store, sessionId, limit * 4)
  const answers = tail.slice(at + 1).filter(({ marker }) => !marker)
  const isAnswered = hasFinalText(answers)
  const transcript = isAnswered ? answers : answers.filter(({ cutShort }) => cutShort === undefined)
  return {
    tail,
    question,
    before: tail.filter(({ marker }, index) => index < at || (marker && index > at)),
    transcript,
    unanswered: unansweredCalls(transcript),
    isAnswered,
  }
}
