import type {
  Agent,
  ApprovalDecision,
  Channel,
  PersonId,
  SessionContext,
  SessionId,
  StopReason,
  TurnId,
} from '@parley/contracts'
import type { NewMedia } from '../media/de-inline-media.ts'

export interface NewSession {
  /** Set if the session already has an id elsewhere. */
  readonly id?: SessionId
  readonly ownerId: PersonId
  readonly channel: Channel
  readonly agent: Agent
  readonly context: SessionContext
  readonly title?: string
  /** The first message, if known: nothing is stored if the agent's `input_schema` refuses it. */
  readonly firstMessage?: string
}

/** A person's message: text and attachments. */
export interface PersonMessage {
  readonly text: string
  readonly media: readonly NewMedia[]
}

export interface SendOptions {
  /** The same message with the same key is stored once; another message with the same key is an error. */
  readonly idempotencyKey?: string
}

/** A person's decision on a waiting call. */
export interface PersonDecision {
  readonly decision: ApprovalDecision
  readonly by?: PersonId
  /** No person could be asked: counts as a refusal. */
  readonly unattended?: true | undefined
  /** The hash of the question they saw: the decision counts only while the same question waits. */
  readonly inputHash?: string | undefined
}

/** How a turn ended, or that it waits for a person. */
export type TurnEnding = StopReason | 'waiting'

export interface SentMessage {
  readonly turnId: TurnId
  /** The number of the turn's first event that is not delivered yet. */
  readonly firstSequence: number
  /** How the turn ended; rejects only if that could not be stored. Absent if the turn was opened earlier. */
  readonly ended?: Promise<TurnEnding>
}
