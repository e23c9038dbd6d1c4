import type {
  Audience,
  Channel,
  ErrorCode,
  Reflection,
  Role,
  SessionMode,
  Surface,
  VoiceAction,
} from '@parley/contracts'
import { publishedNamespaces, visibleNamespaces } from '../access/visible-namespaces.ts'
import type { Ingestion } from '../modes/decide-ingestion.ts'
import { deriveSessionMode, type SessionHints } from '../modes/derive-session-mode.ts'
import { sessionActions } from '../modes/session-actions.ts'
import { decideSessionAccess } from '../planning/decide-session-access.ts'

/** A session that somebody asks for, spoken or typed. */
export interface SessionQuestion {
  readonly reflection: Pick<Reflection, 'namespaces' | 'shareIngestion' | 'voice'>
  readonly role: Role
  readonly audience: Audience
  readonly channel: Channel
  readonly hints: SessionHints
  readonly offRecord: boolean
  /** Whether the person was here before. */
  readonly hasEarlier: boolean
  /** Those of the link that a visitor came by; all that is published where it names none. */
  readonly linkNamespaces?: readonly string[] | undefined
  /** Those that a member reaches who does not reach everything. */
  readonly memberNamespaces?: readonly string[] | undefined
}

/** All that is settled of a session before anything is done. */
export interface SessionPlan {
  readonly kind: 'planned'
  readonly mode: SessionMode
  readonly audience: Audience
  readonly surface: Surface
  readonly role: Role
  readonly actions: readonly VoiceAction[]
  readonly ingestion: Extract<Ingestion, string>
  /** The exact allowlist of retrieval. */
  readonly namespaces: readonly string[]
  /** Of a member who does not reach everything: the prompt and the variables are made from these namespaces alone. */
  readonly isNarrowed?: boolean
  /** All that is published, where a public session is for a part of it alone. */
  readonly partOf?: readonly string[]
}

export interface PlanRefused {
  readonly kind: 'refused'
  readonly code: ErrorCode
  readonly message: string
  readonly missing?: readonly string[]
}

export function planSession(question: SessionQuestion): SessionPlan | PlanRefused {
  const { reflection, role, audience, channel, offRecord } = question
  const mode = deriveSessionMode(question.hints)
  const { shareIngestion, voice } = reflection
  const access = decideSessionAccess({ mode, role, audience, channel, offRecord, shareIngestion, voice })
  if (access.kind === 'refused') return access
  const limit = audience === 'private' ? question.memberNamespaces : question.linkNamespaces
  const namespaces = visibleNamespaces({ sessionAudience: audience }, { namespaces: limit }, reflection)
  if (namespaces.length === 0 && audience === 'public') return NOTHING_TO_TELL
  const { ingestion } = access
  const actions = sessionActions({ mode, role, audience, ingestion })
  const surface = surfaceFor(question)
  const part = partOfPublished({ audience, namespaces }, reflection)
  const isNarrowed = audience === 'private' && question.memberNamespaces !== undefined
  const settled = { mode, audience, surface, role, actions, ingestion, namespaces }
  return { kind: 'planned', ...settled, ...(isNarrowed && { isNarrowed }), ...part }
}

/** What a public session is for a part of; nothing where it is for all that is published. */
export function partOfPublished(
  { audience, namespaces }: Pick<SessionPlan, 'audience' | 'namespaces'>,
  reflection: Pick<Reflection, 'namespaces'>,
): Pick<SessionPlan, 'partOf'> {
  const partOf = publishedNamespaces(reflection)
  const isPart = audience === 'public' && partOf.some((name) => !namespaces.includes(name))
  return isPart ? { partOf } : {}
}

const NOTHING_TO_TELL: PlanRefused = {
  kind: 'refused',
  code: 'public_runtime_not_ready',
  message: 'Nothing that this session could tell of is published.',
  missing: ['nothing is published'],
}

export function surfaceFor({
  audience,
  hasEarlier,
}: Pick<SessionQuestion, 'audience' | 'hasEarlier'>): Surface {
  if (audience === 'public') return 'public'
  return hasEarlier ? 'memory' : 'standard'
}
