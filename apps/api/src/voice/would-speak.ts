import type {
  LookAtVariables,
  Reflection,
  SurfaceStatus,
  VariablesLook,
  VoiceArtifacts,
} from '@parley/contracts'
import { PlatformError } from '@parley/contracts'
import { resolveSessionAgent, type RuntimeAgents, type SessionPlan } from '@parley/reflections'
import type { Services } from '../services.ts'
import { packFor } from './typed-plan.ts'

export type Speaker = Extract<VariablesLook['plan'], { readonly kind: 'allowed' }>['speaker']

/** Who would speak in such a session, as things stand. Throws what a start would throw. */
export async function wouldSpeak(
  { channel, agent }: Pick<LookAtVariables, 'channel' | 'agent'>,
  plan: SessionPlan,
  reflection: Reflection,
  promoted: VoiceArtifacts | undefined,
  services: Pick<Services, 'spoken' | 'runtimeSync'>,
): Promise<Speaker> {
  if (channel === 'text') {
    if (plan.mode === 'interview') return { agent: 'own', note: INTERVIEWER }
    const speaking = packFor(plan, reflection, { artifacts: promoted })
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
  const { configured } = spoken.host
  const { signal } = new AbortController()
  const found = await resolveSessionAgent(
    reflection.id,
    plan,
    { agents: asTheyStand(surfaces), configured },
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
const asTheyStand = (surfaces: readonly SurfaceStatus[]): RuntimeAgents => ({
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
