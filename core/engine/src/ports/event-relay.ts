import type { SessionId } from '@parley/contracts'
import type { StreamedEvent } from '../events/in-flight.ts'

/**
 * Carries what a session's writer tells to the processes where its readers are. Never throws and never waits; what
 * it loses, readers find by the numbers and take from the store. What one process tells of a session comes in order.
 */
export interface EventRelay {
  /** The session's events up to this number are stored. */
  tellStored(sessionId: SessionId, upTo: number): void
  /** Text of the running step. */
  tellSaid(sessionId: SessionId, events: readonly StreamedEvent[]): void
  /** Asks the process that runs a turn of this session, if one does, for the text of its step and what follows. */
  ask(sessionId: SessionId): void
  /** What other processes tell and ask goes here. */
  connect(inbound: RelayInbound): void
}

export interface RelayInbound {
  stored(sessionId: SessionId, upTo: number): void
  said(sessionId: SessionId, events: readonly StreamedEvent[]): void
  asked(sessionId: SessionId): void
  /** Anything may have been missed until now. */
  restarted(): void
}
