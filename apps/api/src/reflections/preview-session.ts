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
} from '@parley/contracts'
import {
  type PlanRefused,
  type RuntimeAgents,
  type SessionHints,
  type SessionPlan,
  type ShareLink,
  type ShareLinkState,
  buildSessionDynamicExtras,
  loadPromoted,
  lookAtVariables,
  planSession,
  requirePack,
  requirePlan,
  resolveSessionAgent,
  sessionSources,
  shareLinkState,
  wholeVariablesFor,
} from '@parley/reflections'
import type { Services } from '../services.ts'
import { sha256, wait } from './reflection-sessions.ts'

/** Who looks, and at which reflection. */
export interface Looker {
  readonly reflection: Reflection
  readonly personId: PersonId
  readonly role: MemberRole
}

type LookServices = Pick<
  Services,
  'reflectionSessions' | 'shareLinks' | 'runtime' | 'store' | 'spoken' | 'runtimeSync' | 'now'
>

/** What a session of this kind would be told, by the functions that start one; nothing is started, signed or kept. */
export async function previewSession(
  wanted: PreviewVariables,
  { reflection, ...looker }: Looker,
  services: LookServices,
): Promise<VariablesPreview> {
  refuseImpossibleSession(wanted)
  const { audience, surface } = wanted
  const isPublic = audience === 'public'
  const personId = isPublic ? NOBODY : looker.personId
  const role: Role = wanted.role ?? (isPublic ? 'guest' : looker.role)
  try {
    const link = await linkOf(wanted, reflection.id, services)
    // Nobody but who asks: what another has said here is not shown to an admin either.
    const { signal } = new AbortController()
    const whose = { reflectionId: reflection.id, audience, personId }
    const own = sessionSources({ ...whose, namespaces: [] }, { ...services, sha256 })
    const hasEarlier = surface ? surface === 'memory' : await own.wasHere(signal)
    const plan = requirePlan(planOf(wanted, { reflection, role, hasEarlier, link }))
    const promoted = await loadPromoted({ ...whose, ...plan }, { ...services, sha256 }, signal)
    const speaker = await findSpeaker(wanted, plan, reflection, promoted, services)
    const sources = {
      ...own,
      ...(surface === 'standard' && NOT_HERE_BEFORE),
      promoted: async () => promoted,
    }
    const extras = await buildSessionDynamicExtras({ reflection, plan, sources }, { wait, sha256 }, signal)
    const conversation = { sessionId: NO_SESSION, reflection, personId, plan }
    const bindSig = () => (wanted.channel === 'voice' ? NO_SIGNATURE : '')
    const whole = wholeVariablesFor(conversation, speaker.agent, extras, { bindSig, sha256 })
    const kind = { ...plan, agent: speaker.agent }
    const { missed, warnings } = extras
    return {
      plan: { ...shown(plan), speaker },
      ...lookAtVariables({ kind, whole, missed, budget: wanted.budget }),
      warnings: [...warnings],
    }
  } catch (failure) {
    if (failure instanceof PlatformError && REFUSALS.has(failure.code)) return refused(failure, wanted)
    throw failure
  }
}

/** What a start is refused with; anything else went wrong. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'forbidden',
  'interview_requires_ingestion',
  'provider_unavailable',
  'public_runtime_not_ready',
  'public_runtime_stale',
  'share_link_invalid',
  'voice_clone_required',
])

/** As long as a real one; no signature has such characters. */
const NO_SIGNATURE = 'not-a-signature'.padEnd(64, '.')
const NO_SESSION = `ses_${'0'.repeat(20)}` as SessionId
const NOT_HERE_BEFORE = { earlier: async () => [], lastSaid: async () => [], interviews: async () => [] }
const NOBODY = 'per_nobody' as PersonId

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

function planOf(
  { mode, audience, channel, offRecord }: PreviewVariables,
  { link, ...asked }: PreviewFacts,
): SessionPlan | PlanRefused {
  const hints = HINTS[mode]
  return planSession({ ...asked, channel, audience, offRecord, hints, linkNamespaces: link?.namespaces })
}

const shown = ({ mode, audience, surface, role, actions, ingestion, namespaces }: SessionPlan) => ({
  kind: 'allowed' as const,
  mode,
  audience,
  surface,
  role,
  actions: [...actions],
  ingestion,
  namespaces: [...namespaces],
})

function refused({ code, detail }: PlatformError, { budget }: PreviewVariables): VariablesPreview {
  const because = [detail['missing'], detail['differs']].flatMap((told) => (Array.isArray(told) ? told : []))
  return {
    plan: {
      kind: 'refused',
      code,
      message: typeof detail['message'] === 'string' ? detail['message'] : code,
      because: because.map(String),
    },
    variables: [],
    budget: { most: budget, wanted: 0, used: 0, isOver: false },
    warnings: [],
  }
}

/** What no session is, and what to leave out. */
function refuseImpossibleSession({ audience, channel, surface, agent, linkId }: PreviewVariables): void {
  const unfitting = [
    ...(audience === 'public' && surface ? ['surface: the public has one of its own; leave it out.'] : []),
    ...(audience === 'public' && agent === 'generic' ? ['agent: the public never meets a generic one.'] : []),
    ...(channel === 'text' && agent === 'generic'
      ? ['agent: a typed session runs on the promoted pack; leave it out, or look at a spoken one.']
      : []),
    ...(audience === 'private' && linkId !== undefined
      ? ['linkId: who comes by a link is the public; ask for the audience public.']
      : []),
  ]
  if (unfitting.length > 0) throw new PlatformError('validation', { message: unfitting.join(' ') })
}

/** The link that a visitor would come by. */
async function linkOf(
  { linkId }: PreviewVariables,
  reflectionId: ReflectionId,
  services: Pick<Services, 'shareLinks' | 'now'>,
): Promise<ShareLink | undefined> {
  if (linkId === undefined) return undefined
  const link = await services.shareLinks.find(linkId)
  if (link?.reflectionId !== reflectionId) {
    throw new PlatformError('not_found', {
      message: `There is no share link ${linkId} of this reflection. GET …/share-links lists them.`,
    })
  }
  const state = shareLinkState(link, services.now())
  if (state === 'active') return link
  throw new PlatformError('share_link_invalid', {
    message: `Nobody comes in by this link: it is ${WHY_CLOSED[state]}.`,
  })
}

const WHY_CLOSED: Readonly<Record<Exclude<ShareLinkState, 'active'>, string>> = {
  revoked: 'revoked',
  expired: 'over',
  used_up: 'used up',
}

type Speaker = Extract<VariablesPreview['plan'], { readonly kind: 'allowed' }>['speaker']

/** Who would speak in such a session, as things stand. Throws what a start would throw. */
async function findSpeaker(
  { channel, agent }: Pick<PreviewVariables, 'channel' | 'agent'>,
  plan: SessionPlan,
  reflection: Reflection,
  promoted: VoiceArtifacts | undefined,
  services: Pick<Services, 'spoken' | 'runtimeSync'>,
): Promise<Speaker> {
  if (channel === 'text') {
    if (plan.mode === 'interview') return { agent: 'own', note: INTERVIEWER }
    const speaking = requirePack(plan, reflection, { artifacts: promoted }, sha256)
    return speaking.agent === 'own'
      ? { agent: 'own', packKind: speaking.pack.kind }
      : { agent: 'generic', note: speaking.warning.message }
  }
  const { spoken, runtimeSync } = services
  if (!spoken || !runtimeSync) {
    throw new PlatformError('provider_unavailable', {
      message: 'This server has no voice provider. Look at a typed session, or start one with parley up.',
    })
  }
  const surfaces = await runtimeSync.status(reflection.id)
  const { configured } = spoken
  const { signal } = new AbortController()
  const found = await resolveSessionAgent(
    reflection.id,
    plan,
    { agents: agentsWithoutSync(surfaces), configured },
    signal,
  )
  if (plan.partOf) {
    const agentId = surfaces.find((one) => one.surface === 'public_part')?.agentId
    return { agent: found.agent, ...(agentId !== undefined && { agentId }), note: OF_PART }
  }
  const kind = agent ?? found.agent
  const surface = surfaces.find((one) => one.surface === plan.surface)
  const isOwn = kind === 'own' && found.agent === 'own'
  const server = configured[plan.mode === 'interview' ? 'interviewer' : 'generic']
  const agentId = kind === 'generic' ? server : isOwn ? surface?.agentId : undefined
  const note = noteOf(plan, isOwn ? surface : undefined, found.warnings[0]?.message)
  return {
    agent: kind,
    ...(agentId !== undefined && { agentId }),
    ...(isOwn && surface?.packKind && { packKind: surface.packKind }),
    ...(note !== undefined && { note }),
  }
}

const OF_PART = 'The agent for links to a part speaks; it is told the dossier of that part by variables.'
const INTERVIEWER = 'Whoever interviews speaks by a prompt of the server, which is nobody’s.'

function noteOf(
  { mode }: SessionPlan,
  own: SurfaceStatus | undefined,
  warning: string | undefined,
): string | undefined {
  if (mode === 'interview') return INTERVIEWER
  if (!own || own.status === 'fresh') return warning
  const what = [...own.differs, ...own.missing].join(', ')
  return `Its agent is brought up to date when somebody comes: ${what}.`
}

/** What a start would find once it has synced, told without a word to the provider. */
const agentsWithoutSync = (surfaces: readonly SurfaceStatus[]): RuntimeAgents => ({
  async ensureFresh(_, wanted) {
    const {
      packKind,
      agentId = '',
      status,
      differs,
      missing,
    } = surfaces.find(({ surface }) => surface === wanted) ??
      // The agent of parts is made when the first of them is called, from what the public one is made from.
      (wanted === 'public_part' ? surfaces.find(({ surface }) => surface === 'public') : undefined) ?? {
        status: 'not_ready',
        differs: [],
        missing: ['the surface is not known'],
      }
    if (packKind !== undefined) return { kind: 'fresh', agentId, packKind }
    return status === 'stale'
      ? { kind: 'stale', differs }
      : { kind: 'not-ready', missing: missing.join(', ') }
  },
  forget: async () => {},
  serverAgent: async () => '',
  forgetServerAgent: async () => {},
})
