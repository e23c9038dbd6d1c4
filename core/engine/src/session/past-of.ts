import type { SessionMessage } from '@parley/contracts'
import type { SessionsHost } from './sessions-host.ts'
import { reconstructSessionState, standingOf } from './reconstruct-session-state.ts'
import { limitsOf } from './turn-host.ts'

/** What a turn may add to the messages that a model is given, before they are shortened. */
const MARGIN = 100

/** How many of a session's last messages are read, so that its last marker is among them. */
export const tailOf = (host: Pick<SessionsHost, 'limits'>): number => limitsOf(host).maxMessages + MARGIN

/** What a model is given of a session's last messages: completed turns, without the steps that came to nothing. */
export const pastOf = (tail: readonly SessionMessage[]): readonly SessionMessage[] =>
  reconstructSessionState(tail).flatMap(({ messages, outcome }) =>
    outcome === 'completed' ? standingOf(messages) : [],
  )
