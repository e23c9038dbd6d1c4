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

/** A person's decision on a call, and the hash of the exact question. */
export interface ApprovalAnswer {
  readonly decision: ApprovalDecision
  readonly inputHash?: string | undefined
  /** No person was available to decide. */
  readonly unattended?: true | undefined
}

export interface ToolCallCircumstances {
  readonly signal: AbortSignal
  /** Grants for the rest of the session. */
  readonly grants: readonly ToolGrant[]
  /** Set if the call waited for a person. */
  readonly answer?: ApprovalAnswer
}

/** The decision on a call, made before it runs. */
export type CallDecision = AllowedToolCall | RefusedToolCall | ToolCallForApproval

export interface AllowedToolCall {
  readonly kind: 'allowed'
  readonly decided: DecisionRecord
  /** Never throws: a failure is an outcome for the model to read. */
  carryOut(signal: AbortSignal): Promise<ToolResult>
}

interface RefusedToolCall {
  readonly kind: 'refused'
  readonly decided: DecisionRecord
  readonly outcome: ToolOutcome
}

/** Needs a person's decision. */
interface ToolCallForApproval {
  readonly kind: 'asks'
  /** The call's target: a path, a host, a command. */
  readonly target: string
  readonly preview?: Preview
  readonly inputHash?: string
  /** The grant that an answer for the whole session gives. */
  readonly grant?: ToolGrant
}

/** Why it was decided this way, for the record. */
export type DecisionRecord = Pick<
  Extract<TurnEvent, { type: 'agent:tool_decided' }>,
  'target' | 'by' | 'reason' | 'inputHash'
>

export interface ToolResult {
  readonly outcome: ToolOutcome
  /** Pictures and other media for the model. */
  readonly media?: readonly NewMedia[]
  /** Stored under the handle in the outcome, for later reads; the model does not get the bytes. */
  readonly kept?: readonly Media[]
}

/** The tools of one session. */
export interface ToolRegistry {
  readonly declarations: readonly ToolDeclaration[]
  /** Changes nothing, and never throws. */
  decide(call: ToolCall, circumstances: ToolCallCircumstances): Promise<CallDecision>
}

/** The part of the session that tools know. */
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
