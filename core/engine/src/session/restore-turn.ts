import type { SessionId, SessionMessage } from '@parley/contracts'
import type { SessionStore } from '../ports/session-store.ts'
import { findUnansweredCalls } from '../turn/decide-next.ts'
import { hasFinalText } from './reconstruct-session-state.ts'

/** The last stored turn of a session. */
export interface StoredTurn {
  readonly question: SessionMessage
  /** Everything after the question, including markers. */
  readonly later: readonly SessionMessage[]
  /** The answer so far, without failed steps. */
  readonly transcript: readonly SessionMessage[]
  readonly unanswered: ReturnType<typeof findUnansweredCalls>
  readonly isAnswered: boolean
}

/** Enough to find the question of most turns. */
const LAST_TURN = 100

/** Undefined if the session has no messages. */
export async function restoreTurn(
  store: SessionStore,
  sessionId: SessionId,
  limit = LAST_TURN,
): Promise<StoredTurn | undefined> {
  const tail = await store.readTail(sessionId, limit)
  const at = tail.findLastIndex(({ role }) => role === 'user')
  const question = tail[at]
  if (!question) return tail.length < limit ? undefined : restoreTurn(store, sessionId, limit * 4)
  const later = tail.slice(at + 1)
  const answers = later.filter(({ marker }) => !marker)
  const isAnswered = hasFinalText(answers)
  const transcript = isAnswered ? answers : answers.filter(({ cutShort }) => cutShort === undefined)
  return {
    question,
    later,
    transcript,
    unanswered: findUnansweredCalls(transcript),
    isAnswered,
  }
}
