import {
  type Audience,
  CONVERSATION_OVER,
  type Role,
  type SessionMode,
  type VoiceAction,
} from '@parley/contracts'
import { lowerRole } from '../modes/role-order.ts'
import { resolveAllowedActions } from '../modes/session-actions.ts'
import type { VoiceStatus } from './decide-provider-bind-outcome.ts'

/** The stored session that a call says to come from. */
export interface CalledSession {
  readonly status: VoiceStatus
  readonly mode: SessionMode
  readonly audience: Audience
  /** When it started. */
  readonly roleThen: Role
  /** Undefined for who is no member any more. */
  readonly roleNow?: Role | undefined
  /** What its agent was told holds namespaces that the person reaches no more. */
  readonly isBeyondReach?: boolean | undefined
  readonly boundTo?: string | undefined
  /** Of a call of the provider's: what was said in it is in already. */
  readonly isCallOver?: boolean | undefined
  /** Undefined where it came through none. */
  readonly shareLink?: 'live' | 'revoked' | undefined
}

/** What is to show that a call comes from a conversation of ours. */
interface ToolProof {
  readonly isSecretRight: boolean
  readonly isSignatureValid: boolean
  /** What the provider says of itself; no client can set it. */
  readonly providerConversationId: string
  readonly session?: Pick<CalledSession, 'boundTo'> | undefined
}

export interface ToolCallQuestion extends ToolProof {
  readonly action: VoiceAction
  readonly session?: CalledSession | undefined
}

export type ToolCallDecision =
  | { readonly kind: 'allowed' }
  | {
      readonly kind: 'refused'
      readonly code:
        | 'unauthenticated'
        | 'bind_signature_invalid'
        | 'conversation_mismatch'
        | 'action_not_allowed'
      readonly message: string
      /** What the agent is to do about it, where nothing that it asks for will be allowed any more. */
      readonly advice?: string
    }

/** The instruction to the agent of a call that must end. */
export const SAY_GOODBYE = `${CONVERSATION_OVER}. Answer nothing more: say goodbye in one sentence and end the call.`

/** A call is carried out only if everything holds: each alone proves less than it seems. */
export function decideToolCall(question: ToolCallQuestion): ToolCallDecision {
  const { session, action } = question
  const unproven = decideToolProof(question)
  if (unproven) return unproven
  if (!session) return noSession()
  if (session.status !== 'active') return over(`The session is ${session.status}.`)
  if (session.isCallOver) return over('The call is over, and its transcript stored.')
  if (session.shareLink === 'revoked') return over('The share link was revoked.')
  const role = lowerRole(session.roleThen, session.roleNow)
  if (!role) return over('The person is no longer a member of this reflection.')
  if (session.isBeyondReach) return over('The person may no longer read all that this session was told.')
  if (!resolveAllowedActions({ ...session, role }).includes(action)) {
    return refused('action_not_allowed', `The role ${role} may not ${action} in this session.`)
  }
  return { kind: 'allowed' }
}

/** Why a call does not come from where it says; undefined where it does. What it asks for plays no part in this. */
export function decideToolProof({
  isSecretRight,
  isSignatureValid,
  providerConversationId,
  session,
}: ToolProof): Refused | undefined {
  if (!isSecretRight) return refused('unauthenticated', 'The tool secret is missing or wrong.')
  if (!isSignatureValid || !session) return noSession()
  if (session.boundTo !== undefined && session.boundTo === providerConversationId) return undefined
  return refused('conversation_mismatch', 'The session is bound to another conversation of the provider.')
}

type Refused = Extract<ToolCallDecision, { kind: 'refused' }>

const noSession = (): Refused =>
  refused('bind_signature_invalid', 'The signature is not one of this conversation.')

const over = (message: string): Refused => ({
  ...refused('action_not_allowed', message),
  advice: SAY_GOODBYE,
})

const refused = (code: Refused['code'], message: string): Refused => ({
  kind: 'refused',
  code,
  message,
})
