import {
  type Audience,
  type Role,
  type SessionMode,
  type AgentAction,
  writeConversationOver,
} from '@parley/contracts'
import { pickLowerRole } from '../access/session-role.ts'
import { listSessionActions } from '../access/session-access.ts'
import type { ReflectionSession, ReflectionSessionStatus } from '../ports/reflection-session-store.ts'

/** The stored session that a call names. */
export interface CalledSession {
  readonly status: ReflectionSessionStatus
  readonly mode: SessionMode
  readonly audience: Audience
  readonly ingestion: ReflectionSession['ingestion']
  /** The person's role at the start. */
  readonly roleAtStart: Role
  /** Undefined for a former member. */
  readonly roleNow?: Role | undefined
  /** The agent's prompt holds namespaces that the person can no longer read. */
  readonly isBeyondReach?: boolean | undefined
  readonly boundTo?: string | undefined
  /** The transcript of the provider's call is stored already. */
  readonly isCallOver?: boolean | undefined
  /** Undefined for a session without a link. */
  readonly shareLink?: 'live' | 'revoked' | undefined
}

/** The proof that a call comes from one of our conversations. */
interface ToolProof {
  readonly isSecretRight: boolean
  readonly isSignatureValid: boolean
  /** Set by the provider; no client can change it. */
  readonly providerConversationId: string
  readonly session?: Pick<CalledSession, 'boundTo'> | undefined
}

export interface ToolCallInput extends ToolProof {
  readonly action: AgentAction
  readonly session?: CalledSession | undefined
}

type ToolCallDecision =
  | { readonly kind: 'allowed' }
  | {
      readonly kind: 'refused'
      readonly code:
        | 'unauthenticated'
        | 'bind_signature_invalid'
        | 'conversation_mismatch'
        | 'action_not_allowed'
      readonly message: string
      /** An instruction to the agent, if every further call will be refused too. */
      readonly advice?: string
    }

/** The instruction to the agent of a call that must end. */
export const SAY_GOODBYE = writeConversationOver(
  '. Answer nothing more: say goodbye in one sentence and end the call.',
)

/** A call is allowed only if every check passes. */
export function decideToolCall(question: ToolCallInput): ToolCallDecision {
  const { session, action } = question
  const unproven = decideToolProof(question)
  if (unproven) return unproven
  if (!session) return createInvalidProofRefusal()
  if (session.status !== 'active') return refuseOver(`The session is ${session.status}.`)
  if (session.isCallOver) return refuseOver('The call is over, and its transcript stored.')
  if (session.shareLink === 'revoked') return refuseOver('The share link was revoked.')
  const role = pickLowerRole(session.roleAtStart, session.roleNow)
  if (!role) return refuseOver('The person is no longer a member of this reflection.')
  if (session.isBeyondReach) return refuseOver('The person may no longer read all sources of this session.')
  if (!listSessionActions({ ...session, role }).includes(action)) {
    const isUnsaved = session.ingestion === 'off-record'
    const reason = isUnsaved ? OFF_RECORD : `The role ${role} may not ${action} in this session.`
    return refuse('action_not_allowed', reason)
  }
  return { kind: 'allowed' }
}

const OFF_RECORD = 'This session is off the record: nothing can be saved from it.'

/** The reason why the proof of a call is not valid; undefined if it is valid. */
export function decideToolProof({
  isSecretRight,
  isSignatureValid,
  providerConversationId,
  session,
}: ToolProof): Refused | undefined {
  if (!isSecretRight) return refuse('unauthenticated', 'The tool secret is missing or wrong.')
  if (!isSignatureValid || !session) return createInvalidProofRefusal()
  if (session.boundTo !== undefined && session.boundTo === providerConversationId) return undefined
  return refuse('conversation_mismatch', 'The session is bound to another conversation of the provider.')
}

type Refused = Extract<ToolCallDecision, { kind: 'refused' }>

const createInvalidProofRefusal = (): Refused =>
  refuse('bind_signature_invalid', 'The signature is not one of this conversation.')

const refuseOver = (message: string): Refused => ({
  ...refuse('action_not_allowed', message),
  advice: SAY_GOODBYE,
})

const refuse = (code: Refused['code'], message: string): Refused => ({
  kind: 'refused',
  code,
  message,
})
