import type { SessionId } from '@parley/contracts'
import type { StreamedEvent } from '../events/step-text.ts'

/**
 * Carries a session's events from its writer to readers in other processes. Never throws and never waits. Readers
 * detect lost events by their numbers and read them from the store. Messages of one process arrive in order.
 */
export interface EventRelay {
  /** The session's events up to this number are stored. */
  notifyStored(sessionId: SessionId, upTo: number): void
  /** Text of the running step. */
  notifyText(sessionId: SessionId, events: readonly StreamedEvent[]): void
  /** Requests, from the process that runs a turn of this session, the text of its step and what follows. */
  requestText(sessionId: SessionId): void
  /** Receives messages and requests of other processes. */
  connect(inbound: RelayInbound): void
}

export interface RelayInbound {
  onStored(sessionId: SessionId, upTo: number): void
  onText(sessionId: SessionId, events: readonly StreamedEvent[]): void
  onTextRequested(sessionId: SessionId): void
  /** Earlier messages may have been missed. */
  onMissed(): void
}
