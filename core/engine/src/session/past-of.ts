import type { SessionMessage } from '@parley/contracts'
import { reconstructSessionState, standingOf } from './reconstruct-session-state.ts'

/** How much of the past a model is given, in messages. */
export const TAIL = 200

/** What a model is given of a session's last messages: completed turns, without the steps that came to nothing. */
export const pastOf = (tail: readonly SessionMessage[]): readonly SessionMessage[] =>
  reconstructSessionState(tail).flatMap(({ messages, outcome }) =>
    outcome === 'completed' ? standingOf(messages) : [],
  )

/** As many whole turns as a model is given. */
export function lastTurnsOf(past: readonly SessionMessage[]): readonly SessionMessage[] {
  if (past.length <= TAIL) return past
  const start = past.findIndex(({ role }, index) => index >= past.length - TAIL && role === 'user')
  return past.slice(start === -1 ? past.length : start)
}
