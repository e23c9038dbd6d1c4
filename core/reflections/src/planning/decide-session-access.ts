import {
  type Audience,
  type Channel,
  findVoiceProblems,
  type ReflectionVoice,
  type Role,
  type SessionMode,
  type AgentAction,
} from '@parley/contracts'
import { resolveAllowedActions } from '../modes/session-actions.ts'
import { decideIngestion, type Ingestion } from '../modes/decide-ingestion.ts'

export interface AccessQuestion {
  readonly mode: SessionMode
  readonly role: Role
  readonly audience: Audience
  readonly channel: Channel
  readonly offRecord: boolean
  readonly shareIngestion: boolean
  readonly voice?: ReflectionVoice | undefined
}

export type SessionAccess =
  | {
      readonly kind: 'allowed'
      readonly actions: readonly AgentAction[]
      readonly ingestion: Extract<Ingestion, string>
    }
  | {
      readonly kind: 'refused'
      readonly code: 'forbidden' | 'interview_requires_ingestion' | 'voice_clone_required'
      readonly message: string
      readonly missing?: readonly string[]
    }

const MAY_INTERVIEW: ReadonlySet<Role> = new Set(['owner', 'admin', 'operator'])

/** Whether this person may start this session, and with which actions. */
export function decideSessionAccess(question: AccessQuestion): SessionAccess {
  const { mode, role, audience } = question
  if (mode === 'interview' && (audience === 'public' || !MAY_INTERVIEW.has(role))) {
    return refused(
      'forbidden',
      'An interview is for the owner, admins and operators of a reflection, in private.',
    )
  }
  const ingestion = decideIngestion(question)
  if (typeof ingestion === 'object') {
    return refused(ingestion.refused, 'An interview is always saved. Start it without offRecord.')
  }
  const gated = enforceVoiceCloneGate(question)
  if (gated) return gated
  return { kind: 'allowed', actions: resolveAllowedActions(question), ingestion }
}

/** A spoken session needs a voice with consent. Interviews and typed sessions need none. */
function enforceVoiceCloneGate({ channel, mode, voice }: AccessQuestion): SessionAccess | undefined {
  const missing = channel === 'voice' && mode !== 'interview' ? findVoiceProblems(voice) : []
  if (missing.length === 0) return undefined
  const message = `This reflection has no voice yet: ${missing.join('; ')}. Type with it, or let its owner choose a voice.`
  return { ...refused('voice_clone_required', message), missing }
}

const refused = <Code extends Extract<SessionAccess, { kind: 'refused' }>['code']>(
  code: Code,
  message: string,
) => ({ kind: 'refused', code, message }) as const
