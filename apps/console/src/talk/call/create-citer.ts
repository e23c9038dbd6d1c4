import type { ApiClient } from '@parley/api-client'
import type { Citation, SessionId } from '@parley/contracts'
import { citationsAfter } from '../citations/citations-after.ts'

/** What was looked up is kept softly, beside the answer: it may be there a moment later. */
const LOOK_AGAIN_MS = 1_500

/** Stands for all that was said before this page heard the call. */
const EARLIER = 0

/** Asks, after each answer, what was looked up since the one before. One question at a time, so that nothing counts twice. */
export function createCiter(
  sessions: Pick<ApiClient['sessions'], 'citations'>,
  onCited: (line: number, citations: readonly Citation[]) => void,
) {
  let known = 0
  let before: Promise<unknown> = Promise.resolve()
  /** Answers that could not be asked for: what is found next may be of any of them, and is then told of none. */
  const missed = new Set<number>()

  const look = async (sessionId: SessionId, line: number): Promise<boolean> => {
    missed.add(line)
    const found = await citationsAfter(sessions, sessionId, known)
    known = found.at(-1)?.number ?? known
    const isOfThisLine = missed.size === 1 && line !== EARLIER
    missed.clear()
    if (found.length > 0 && isOfThisLine) onCited(line, found)
    return found.length > 0
  }
  const inTurn = (sessionId: SessionId, line: number): Promise<boolean> => {
    const mine = before.then(() => look(sessionId, line)).catch(() => false)
    before = mine
    return mine
  }

  return {
    async cite(sessionId: SessionId, line: number): Promise<void> {
      if (await inTurn(sessionId, line)) return
      setTimeout(() => void inTurn(sessionId, line), LOOK_AGAIN_MS)
    },
    /** Of a call that was on before: what was looked up until now is no part of what is said from now on. */
    passEarlier: (sessionId: SessionId) => void inTurn(sessionId, EARLIER),
  }
}
