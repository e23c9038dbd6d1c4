import type { DurabilitySettings } from './same-durability.ts'

export interface FloorMessage {
  readonly sessionId: string
  readonly sequenceNumber: number
  readonly role: 'user' | 'assistant' | 'tool'
  readonly content: string
  readonly at: string
}

/** The durable writes of a bare loop, and its reads when it resumes a session. */
export interface FloorStore {
  insertSession(id: string, at: string): Promise<void>
  /** One transaction: the message, and its session's row. */
  append(message: FloorMessage): Promise<void>
  countMessages(sessionId: string): Promise<number>
  /** The last `limit` messages, latest first. */
  readTail(sessionId: string, limit: number): Promise<readonly object[]>
  durability(): Promise<DurabilitySettings>
  close(): Promise<void>
}
