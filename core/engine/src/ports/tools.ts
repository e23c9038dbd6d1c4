import type {
  AgentSession,
  ApprovalDecision,
  MediaHandle,
  Preview,
  ToolCall,
  ToolGrant,
  ToolOutcome,
  TurnEvent,
} from '@parley/contracts'
import type { NewMedia } from '../media/de-inline-media.ts'
import type { ToolDeclaration } from './model.ts'
import type { Media } from './session-store.ts'

/** What a person said to a call, and the hash of exactly what they were asked. */
export interface Answer {
  readonly decision: ApprovalDecision
  readonly inputHash?: string | undefined
  /** Nobody was there to be asked. */
  readonly unattended?: true | undefined
}

export interface CallCircumstances {
  readonly signal: AbortSignal
  /** What was allowed for the rest of the session. */
  readonly grants: readonly ToolGrant[]
  /** Where the call has waited for a person. */
  readonly answer?: Answer
}

/** What is decided of a call before anything of it happens. */
export type Verdict = Allowed | Refused | Asks

export interface Allowed {
  readonly kind: 'allowed'
  readonly decided: Decided
  /** Never throws: what goes wrong is an outcome for the model to read. */
  carryOut(signal: AbortSignal): Promise<ToolResult>
}

interface Refused {
  readonly kind: 'refused'
  readonly decided: Decided
  readonly outcome: ToolOutcome
}

/** It goes on only once a person has decided. */
interface Asks {
  readonly kind: 'asks'
  /** What the call would reach: a path, a host, a command. */
  readonly target: string
  readonly preview?: Preview
  readonly inputHash?: string
  /** What an answer for the whole session would allow. */
  readonly grant?: ToolGrant
}

/** How it came to a verdict, for the record. */
export type Decided = Pick<
  Extract<TurnEvent, { type: 'agent:tool_decided' }>,
  'target' | 'by' | 'reason' | 'inputHash'
>

export interface ToolResult {
  readonly outcome: ToolOutcome
  /** Pictures and other bytes for the model to look at. */
  readonly media?: readonly NewMedia[]
  /** What the outcome names by its handle and the model is not given: kept for who asks for it. */
  readonly kept?: readonly Media[]
}

/** The tools of one session. */
export interface ToolRegistry {
  readonly declarations: readonly ToolDeclaration[]
  /** Changes nothing, and never throws. */
  decide(call: ToolCall, circumstances: CallCircumstances): Promise<Verdict>
}

/** What tools know of the session that they work in. */
export interface ToolSession extends Pick<AgentSession, 'id' | 'context' | 'agentSnapshot' | 'ownerId'> {
  readMedia(handle: MediaHandle): Promise<Media | undefined>
}

export const noTools: ToolRegistry = {
  declarations: [],
  decide: async ({ name }) => ({
    kind: 'refused',
    decided: { by: 'grant', reason: 'this agent has no tools' },
    outcome: { kind: 'failed', code: 'tool_unavailable', text: `There is no tool "${name}" here.` },
  }),
}
