import type { SessionId, SessionMessage } from '@parley/contracts'
import type { SessionStore } from '../ports/session-store.ts'
import { unansweredCalls } from '../turn/decide-next.ts'
import { hasFinalText } from './reconstruct-session-state.ts'

/** The last turn of a session, as far as the store has it. */
export interface StoredTurn {
  readonly question: SessionMessage
  /** All that came after the question, markers too. */
  readonly later: readonly SessionMessage[]
  /** What answered it so far, without the steps that came to nothing. */
  readonly transcript: readonly SessionMessage[]
  readonly unanswered: ReturnType<typeof unansweredCalls>
  readonly isAnswered: boolean
}

/** Enough to find the question of most turns. */
const LAST_TURN = 100

/** Undefined where nothing was ever said. */
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
    unanswered: unansweredCalls(transcript),
    isAnswered,
  }
}
