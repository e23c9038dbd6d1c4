import {
  type Audience,
  type Channel,
  findVoiceProblems,
  type ReflectionVoice,
  ROLES,
  type Role,
  type SessionMode,
  AgentAction,
  isReadOnlyAction,
} from '@parley/contracts'

export interface AccessInput {
  readonly mode: SessionMode
  readonly role: Role
  readonly audience: Audience
  readonly channel: Channel
  readonly offRecord: boolean
  readonly shareIngestion: boolean
  readonly voice?: ReflectionVoice | undefined
}

type SessionAccess =
  | { readonly kind: 'allowed'; readonly ingestion: Ingestion }
  | {
      readonly kind: 'refused'
      readonly code: 'forbidden' | 'interview_requires_ingestion' | 'voice_clone_required'
      readonly message: string
      readonly missing?: readonly string[]
    }

/** Decides whether a person may start a session, and what becomes of its transcript. */
export function decideSessionAccess(question: AccessInput): SessionAccess {
  const { mode, role, audience } = question
  if (mode === 'interview' && (audience === 'public' || !ROLES[role].mayInterview)) {
    return refuse(
      'forbidden',
      'An interview is for the owner, admins and operators of a reflection, in private.',
    )
  }
  const ingestion = decideIngestion(question)
  if (ingestion === 'interview_requires_ingestion') {
    return refuse(ingestion, 'An interview is always saved. Start it without offRecord.')
  }
  const gated = enforceVoiceCloneGate(question)
  if (gated) return gated
  return { kind: 'allowed', ingestion }
}

/** A spoken session needs a voice with consent. Interviews and typed sessions need none. */
function enforceVoiceCloneGate({ channel, mode, voice }: AccessInput): SessionAccess | undefined {
  const missing = channel === 'voice' && mode !== 'interview' ? findVoiceProblems(voice) : []
  if (missing.length === 0) return undefined
  const message = `This reflection has no voice yet: ${missing.join('; ')}. Type with it, or let its owner choose a voice.`
  return { ...refuse('voice_clone_required', message), missing }
}

const refuse = <Code extends Extract<SessionAccess, { kind: 'refused' }>['code']>(
  code: Code,
  message: string,
) => ({ kind: 'refused', code, message }) as const

export interface IngestionInput {
  readonly mode: SessionMode
  readonly role: Role
  readonly audience: Audience
  readonly offRecord: boolean
  /** The reflection's owner allows learning from shared sessions. */
  readonly shareIngestion: boolean
}

/** Whether the transcript of a session becomes a source, is only kept, or is not stored at all. */
export type Ingestion = 'ingest' | 'keep-only' | 'off-record'

export function decideIngestion({
  mode,
  role,
  audience,
  offRecord,
  shareIngestion,
}: IngestionInput): Ingestion | 'interview_requires_ingestion' {
  if (mode === 'interview') return offRecord ? 'interview_requires_ingestion' : 'ingest'
  if (offRecord) return 'off-record'
  if (mode === 'share') return shareIngestion ? 'ingest' : 'keep-only'
  const mayAskForIt = resolveAllowedActions({ mode, role, audience }).includes('request-source-ingest')
  return mayAskForIt ? 'ingest' : 'keep-only'
}

/** The actions of a session. Off the record it stores nothing, so it only reads. */
export function listSessionActions(
  session: SessionGrant & { readonly ingestion: Ingestion },
): readonly AgentAction[] {
  const allowed = resolveAllowedActions(session)
  return session.ingestion === 'off-record' ? allowed.filter(isReadOnlyAction) : allowed
}

/** The actions of the public, of interviews and of people who may only read. */
export const READ_ACTIONS: readonly AgentAction[] = AgentAction.options.filter(isReadOnlyAction)

interface SessionGrant {
  readonly mode: SessionMode
  readonly role: Role
  readonly audience: Audience
}

/** The actions of a session's agent. The model sees them, and the server enforces them at every call. */
export const resolveAllowedActions = ({ mode, role, audience }: SessionGrant): readonly AgentAction[] =>
  mode === 'interview' || audience === 'public' || !ROLES[role].mayStore ? READ_ACTIONS : AgentAction.options
