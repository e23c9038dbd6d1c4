import type {
  Agent,
  ApprovalDecision,
  Channel,
  PersonId,
  SessionContext,
  SessionId,
  TurnId,
} from '@parley/contracts'
import type { NewMedia } from '../media/de-inline-media.ts'
import type { TurnEnding } from './run-session-turn.ts'

export interface NewSession {
  /** Where the session is known elsewhere by an id already. */
  readonly id?: SessionId
  readonly ownerId: PersonId
  readonly channel: Channel
  readonly agent: Agent
  readonly context: SessionContext
  readonly title?: string
  /** What is sent next, where that is known: nothing is stored if the agent's `input_schema` refuses it. */
  readonly firstMessage?: string
}

/** What a person says: text, and what goes along with it. */
export interface Said {
  readonly text: string
  readonly media: readonly NewMedia[]
}

export interface SendOptions {
  /** Said again under the same key, a message is not said twice; other words under it are an error. */
  readonly idempotencyKey?: string
}

/** What a person says to a call that waits for them. */
export interface Decision {
  readonly decision: ApprovalDecision
  readonly by?: PersonId
  /** Nobody was there to be asked: that is a refusal. */
  readonly unattended?: true | undefined
  /** Of what they were shown: the decision counts only if that is still what waits. */
  readonly inputHash?: string | undefined
}

export interface SentMessage {
  readonly turnId: TurnId
  /** The number of the turn's first event that is still to be told. */
  readonly firstSequence: number
  /** How the turn ended; rejects only if that could not be stored. Absent where it was opened before. */
  readonly ended?: Promise<TurnEnding>
}
