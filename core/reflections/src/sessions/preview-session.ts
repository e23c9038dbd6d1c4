import {
  type ErrorCode,
  type PreviewVariables,
  type MemberRole,
  type PersonId,
  PlatformError,
  type Reflection,
  type ReflectionId,
  type Role,
  type SessionId,
  type SessionMode,
  type SurfaceStatus,
  type VariablesPreview,
  type VoiceArtifacts,
  type ShareLinkState,
  getShareLinkState,
  type ShareLink,
} from '@parley/contracts'
import type { Wait } from '@parley/engine'
import type { Sha256 } from '../artifacts/content-hash.ts'
import {
  type SessionHints,
  type PlanRefused,
  planSession,
  requirePlan,
  type SessionPlan,
} from '../starting/plan-session.ts'
import { requirePack } from '../packs/choose-pack.ts'
import type { VoiceAgents } from '../ports/sync-store.ts'
import type { ShareLinkStore } from '../ports/share-link-store.ts'
import { createNoShareLinkError } from '../sharing/manage-share-links.ts'
import { buildSessionDynamicExtras, buildWholeVariables } from '../starting/session-variables.ts'
import { type AgentsHost, resolveSessionAgent } from '../starting/resolve-session-agent.ts'
import type { AgentSync } from '../sync/agent-sync.ts'
import { previewVariables } from '../variables/preview-variables.ts'
import { type PromptInputsHost, createPromptInputs, loadPromoted } from '../starting/load-prompt-inputs.ts'

/** The member who asks for the preview, and their reflection. */
interface Previewer {
  readonly reflection: Reflection
  readonly personId: PersonId
  readonly role: MemberRole
}

interface SessionPreviewHost extends PromptInputsHost {
  readonly shareLinks: Pick<ShareLinkStore, 'find'>
  readonly spoken?: Pick<AgentsHost, 'configured'> | undefined
  readonly agentSync?: Pick<AgentSync, 'status'> | undefined
  readonly now: () => number
  readonly sha256: Sha256
  readonly wait: Wait
}

/** The plan, agent and variables of a session, computed by the functions that start one. Nothing is started or stored. */
export async function previewSession(
  request: PreviewVariables,
  { reflection, ...previewer }: Previewer,
  host: SessionPreviewHost,
): Promise<VariablesPreview> {
  checkRequest(request)
  const { audience, surface } = request
  const isPublic = audience === 'public'
  // Only the previewer's own earlier sessions are used, even for an admin.
  const personId = isPublic ? NO_PERSON : previewer.personId
  const role: Role = request.role ?? (isPublic ? 'guest' : previewer.role)
  try {
    const link = await findLink(request, reflection.id, host)
    const { signal } = new AbortController()
    const reader = { reflectionId: reflection.id, audience, personId }
    const own = createPromptInputs({ ...reader, namespaces: [] }, host)
    const hasEarlier = surface ? surface === 'memory' : await own.hasEarlierSessions(signal)
    const plan = requirePlan(planPreview(request, { reflection, role, hasEarlier, link }))
    const promoted = await loadPromoted({ ...reader, ...plan }, host, signal)
    const speaker = await findSpeaker(request, plan, reflection, promoted, host)
    const inputs = {
      ...own,
      ...(surface === 'standard' && NO_EARLIER_SESSIONS),
      readPromoted: async () => promoted,
    }
    const extras = await buildSessionDynamicExtras({ reflection, plan, inputs }, host, signal)
    const conversation = { sessionId: NO_SESSION, reflection, personId, plan }
    const bindSig = () => (request.channel === 'voice' ? NO_SIGNATURE : '')
    const signing = { bindSig, sha256: host.sha256 }
    const whole = buildWholeVariables(conversation, speaker.agent, extras, signing)
    const kind = { ...plan, agent: speaker.agent }
    const { missed, warnings } = extras
    return {
      plan: { ...toPlanBody(plan), speaker },
      ...previewVariables({ kind, whole, missed, budget: request.budget }),
      warnings: [...warnings],
    }
  } catch (failure) {
    if (failure instanceof PlatformError && REFUSALS.has(failure.code)) return toRefusal(failure, request)
    throw failure
  }
}

/** The codes with which a start is refused. Any other error is a failure of the preview. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'forbidden',
  'interview_requires_ingestion',
  'provider_unavailable',
  'public_runtime_not_ready',
  'public_runtime_stale',
  'share_link_invalid',
  'voice_clone_required',
])

/** Has the length of a real signature, and characters that no signature has. */
const NO_SIGNATURE = 'not-a-signature'.padEnd(64, '.')
const NO_SESSION = `ses_${'0'.repeat(20)}` as SessionId
const NO_EARLIER_SESSIONS = {
  listEarlierSessions: async () => [],
  readLastMessages: async () => [],
  readInterviews: async () => [],
}
const NO_PERSON = 'per_nobody' as PersonId

const HINTS: Readonly<Record<SessionMode, SessionHints>> = {
  interview: { agentType: 'interviewer' },
  reflection: { agentType: 'reflection' },
  share: { roomPrefix: 'share' },
}

interface PreviewFacts {
  readonly reflection: Reflection
  readonly role: Role
  readonly hasEarlier: boolean
  readonly link: ShareLink | undefined
}

const planPreview = (
  { mode, audience, channel, offRecord }: PreviewVariables,
  { link, ...facts }: PreviewFacts,
): SessionPlan | PlanRefused =>
  planSession({
    ...facts,
    channel,
    audience,
    offRecord,
    hints: HINTS[mode],
    linkNamespaces: link?.namespaces,
  })

const toPlanBody = ({ mode, audience, surface, role, actions, ingestion, namespaces }: SessionPlan) => ({
  kind: 'allowed' as const,
  mode,
  audience,
  surface,
  role,
  actions: [...actions],
  ingestion,
  namespaces: [...namespaces],
})

function toRefusal({ code, detail }: PlatformError, { budget }: PreviewVariables): VariablesPreview {
  const reasons = [detail['missing'], detail['differs']].flatMap((list) => (Array.isArray(list) ? list : []))
  return {
    plan: {
      kind: 'refused',
      code,
      message: typeof detail['message'] === 'string' ? detail['message'] : code,
      because: reasons.map(String),
    },
    variables: [],
    budget: { most: budget, wanted: 0, used: 0, isOver: false },
    warnings: [],
  }
}

/** Throws for combinations that no session has, with what to leave out. */
function checkRequest({ audience, channel, surface, agent, linkId }: PreviewVariables): void {
  const problems = [
    ...(audience === 'public' && surface
      ? ['surface: a public session always uses the public surface; leave it out.']
      : []),
    ...(audience === 'public' && agent === 'generic'
      ? ['agent: a public session never uses the generic agent.']
      : []),
    ...(channel === 'text' && agent === 'generic'
      ? ['agent: a typed session uses the promoted pack; leave it out, or preview a spoken session.']
      : []),
    ...(audience === 'private' && linkId !== undefined
      ? ['linkId: share links start public sessions; use audience=public.']
      : []),
  ]
  if (problems.length > 0) throw new PlatformError('validation', { message: problems.join(' ') })
}

/** The share link that the visitor would use. */
async function findLink(
  { linkId }: PreviewVariables,
  reflectionId: ReflectionId,
  { shareLinks, now }: SessionPreviewHost,
): Promise<ShareLink | undefined> {
  if (linkId === undefined) return undefined
  const link = await shareLinks.find(linkId)
  if (link?.reflectionId !== reflectionId) throw createNoShareLinkError(linkId)
  const state = getShareLinkState(link, now())
  if (state === 'active') return link
  throw new PlatformError('share_link_invalid', {
    message: `This link starts no sessions: it is ${WHY_CLOSED[state]}.`,
  })
}

const WHY_CLOSED: Readonly<Record<Exclude<ShareLinkState, 'active'>, string>> = {
  revoked: 'revoked',
  expired: 'expired',
  used_up: 'used up',
}

type Speaker = Extract<VariablesPreview['plan'], { readonly kind: 'allowed' }>['speaker']

/** The agent that would speak in such a session now. Throws what a start would throw. */
async function findSpeaker(
  { channel, agent }: Pick<PreviewVariables, 'channel' | 'agent'>,
  plan: SessionPlan,
  reflection: Reflection,
  promoted: VoiceArtifacts | undefined,
  { spoken, agentSync, sha256 }: SessionPreviewHost,
): Promise<Speaker> {
  if (channel === 'text') {
    if (plan.mode === 'interview') return { agent: 'own', note: INTERVIEWER }
    const chosen = requirePack(plan, reflection, { artifacts: promoted }, sha256)
    return chosen.agent === 'own'
      ? { agent: 'own', packKind: chosen.pack.kind }
      : { agent: 'generic', note: chosen.warning.message }
  }
  if (!spoken || !agentSync) {
    throw new PlatformError('provider_unavailable', {
      message: 'This server has no voice provider. Preview a typed session, or start one with parley up.',
    })
  }
  const { configured } = spoken
  const surfaces = await agentSync.status(reflection.id)
  const resolved = await resolveSessionAgent(
    reflection.id,
    plan,
    { agents: createAgentsWithoutSync(surfaces), configured },
    new AbortController().signal,
  )
  const findStatus = (name: SurfaceStatus['surface']) => surfaces.find(({ surface }) => surface === name)
  if (plan.allPublished) {
    const agentId = findStatus('public_part')?.agentId
    return { agent: resolved.agent, ...(agentId !== undefined && { agentId }), note: PART_AGENT }
  }
  const kind = agent ?? resolved.agent
  const own = kind === 'own' && resolved.agent === 'own' ? findStatus(plan.surface) : undefined
  const agentId =
    kind === 'generic' ? configured[plan.mode === 'interview' ? 'interviewer' : 'generic'] : own?.agentId
  const note = writeAgentNote(plan, own, resolved.warnings[0]?.message)
  return {
    agent: kind,
    ...(agentId !== undefined && { agentId }),
    ...(own?.packKind && { packKind: own.packKind }),
    ...(note !== undefined && { note }),
  }
}

const PART_AGENT = 'The agent for links to some namespaces speaks. It gets the dossier of these by variables.'
const INTERVIEWER = 'The interviewer speaks, with a shared prompt of the server.'

function writeAgentNote(
  { mode }: SessionPlan,
  own: SurfaceStatus | undefined,
  warning: string | undefined,
): string | undefined {
  if (mode === 'interview') return INTERVIEWER
  if (!own || own.status === 'fresh') return warning
  return `The agent is brought up to date at the next start: ${[...own.differs, ...own.missing].join(', ')}.`
}

/** The result of a sync, computed from the status without calling the provider. */
const createAgentsWithoutSync = (surfaces: readonly SurfaceStatus[]): VoiceAgents => ({
  async ensureFresh(_, surface) {
    const status =
      surfaces.find((one) => one.surface === surface) ??
      // The agent for links to some namespaces is created at its first call, from the public artifacts.
      surfaces.find((one) => surface === 'public_part' && one.surface === 'public')
    if (!status) return { kind: 'not-ready', missing: 'the surface is not known' }
    const { packKind, agentId = '', differs, missing } = status
    if (packKind !== undefined) return { kind: 'fresh', agentId, packKind }
    return status.status === 'stale'
      ? { kind: 'stale', differs }
      : { kind: 'not-ready', missing: missing.join(', ') }
  },
  forget: async () => {},
  ensureServerAgent: async () => '',
  forgetServerAgent: async () => {},
})
