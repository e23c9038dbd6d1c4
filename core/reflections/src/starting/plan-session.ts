import {
  type AgentAction,
  type Audience,
  type Channel,
  type ErrorCode,
  listPublishedNamespaces,
  PlatformError,
  type Reflection,
  type Role,
  type SessionMode,
  type Surface,
  type AgentType,
} from '@parley/contracts'
import { visibleNamespaces } from '../access/visible-namespaces.ts'
import { type Ingestion, listSessionActions, decideSessionAccess } from '../access/session-access.ts'

/** The facts about a requested session, spoken or typed. */
export interface PlanInput {
  readonly reflection: Pick<Reflection, 'namespaces' | 'shareIngestion' | 'voice'>
  readonly role: Role
  readonly audience: Audience
  readonly channel: Channel
  readonly hints: SessionHints
  readonly offRecord: boolean
  /** Whether the person has earlier sessions. */
  readonly hasEarlier: boolean
  /** The namespaces of a visitor's link; absent for all published ones. */
  readonly linkNamespaces?: readonly string[] | undefined
  /** The namespaces of a member with limited reach. */
  readonly memberNamespaces?: readonly string[] | undefined
}

/** The decisions about a session before it starts. */
export interface SessionPlan {
  readonly kind: 'planned'
  readonly mode: SessionMode
  readonly audience: Audience
  readonly surface: Surface
  readonly role: Role
  readonly actions: readonly AgentAction[]
  readonly ingestion: Ingestion
  /** The namespaces that its searches may use. */
  readonly namespaces: readonly string[]
  /** For a member with limited reach: the prompt and the variables use these namespaces only. */
  readonly isNarrowed?: boolean
  /** All published namespaces, if a public session sees only some of them. */
  readonly allPublished?: readonly string[]
}

export interface PlanRefused {
  readonly kind: 'refused'
  readonly code: ErrorCode
  readonly message: string
  readonly missing?: readonly string[]
}

export function planSession(question: PlanInput): SessionPlan | PlanRefused {
  const { reflection, role, audience, channel, offRecord } = question
  const mode = deriveSessionMode(question.hints)
  const { shareIngestion, voice } = reflection
  const access = decideSessionAccess({ mode, role, audience, channel, offRecord, shareIngestion, voice })
  if (access.kind === 'refused') return access
  const limit = audience === 'private' ? question.memberNamespaces : question.linkNamespaces
  const namespaces = visibleNamespaces({ sessionAudience: audience }, { namespaces: limit }, reflection)
  if (namespaces.length === 0 && audience === 'public') return NOTHING_PUBLISHED
  const { ingestion } = access
  const actions = listSessionActions({ mode, role, audience, ingestion })
  const surface = chooseSurface(question)
  const part = findPublishedPart({ audience, namespaces }, reflection)
  const isNarrowed = audience === 'private' && question.memberNamespaces !== undefined
  const plan = { mode, audience, surface, role, actions, ingestion, namespaces }
  return { kind: 'planned', ...plan, ...(isNarrowed && { isNarrowed }), ...part }
}

/** The plan, or its refusal as an error. */
export function requirePlan(plan: SessionPlan | PlanRefused): SessionPlan {
  if (plan.kind === 'planned') return plan
  const { code, message, missing } = plan
  // A retry does not help.
  throw new PlatformError(code, {
    message,
    retryAfterSeconds: null,
    ...(missing && { missing: [...missing] }),
  })
}

/** The `allPublished` of a plan, if a public session sees only some published namespaces. */
export function findPublishedPart(
  { audience, namespaces }: Pick<SessionPlan, 'audience' | 'namespaces'>,
  reflection: Pick<Reflection, 'namespaces'>,
): Pick<SessionPlan, 'allPublished'> {
  const allPublished = listPublishedNamespaces(reflection)
  const isPart = audience === 'public' && allPublished.some((name) => !namespaces.includes(name))
  return isPart ? { allPublished } : {}
}

/** For a session that sees no published namespace. */
export const NOTHING_PUBLISHED: PlanRefused = {
  kind: 'refused',
  code: 'public_runtime_not_ready',
  message: 'A public session needs a published folder, and none that it may use is published.',
  missing: ['nothing is published'],
}

export function chooseSurface({ audience, hasEarlier }: Pick<PlanInput, 'audience' | 'hasEarlier'>): Surface {
  if (audience === 'public') return 'public'
  return hasEarlier ? 'memory' : 'standard'
}

/** The fields of a start that choose its mode. */
export interface SessionHints {
  readonly agentType?: AgentType | undefined
  readonly mode?: string | undefined
  readonly roomPrefix?: string | undefined
}

/** The first matching row decides. */
const RULES: readonly { readonly when: (hints: SessionHints) => boolean; readonly mode: SessionMode }[] = [
  { when: ({ agentType }) => agentType === 'interviewer', mode: 'interview' },
  { when: ({ agentType }) => agentType === 'reflection', mode: 'reflection' },
  { when: ({ mode }) => mode === 'onboarding', mode: 'interview' },
  { when: ({ roomPrefix }) => roomPrefix === 'share', mode: 'share' },
]

export const deriveSessionMode = (hints: SessionHints): SessionMode =>
  RULES.find(({ when }) => when(hints))?.mode ?? 'reflection'
