import {
  type AgentKind,
  type AgentSurface,
  PlatformError,
  type ReflectionId,
  type SessionWarning,
} from '@parley/contracts'
import type { VoiceAgents, ServerAgentKind, SurfaceAgent } from '../ports/sync-store.ts'
import type { SessionPlan } from './plan-session.ts'

interface ResolvedAgent {
  readonly agentId: string
  readonly agent: AgentKind
  /** Call it if the provider rejects this id, so that the agent is created again. A configured agent stays. */
  readonly forget?: (signal: AbortSignal) => Promise<void>
  /** The agent to try then, once. For the public it is its own agent, created again. */
  readonly fallback?: () => Promise<ResolvedAgent>
  readonly warnings: readonly SessionWarning[]
}

export interface AgentsHost {
  readonly agents: VoiceAgents
  /** The agents that the server's config names in place of its own. */
  readonly configured: Readonly<Partial<Record<ServerAgentKind, string>>>
}

type Plan = Pick<SessionPlan, 'mode' | 'audience' | 'surface' | 'isNarrowed' | 'allPublished'>

/** The agent of a session. A public session gets the current public agent, or none. */
export async function resolveSessionAgent(
  reflectionId: ReflectionId,
  plan: Plan,
  host: AgentsHost,
  signal: AbortSignal,
): Promise<ResolvedAgent> {
  if (plan.audience === 'public') return resolvePublicAgent(reflectionId, plan, host, signal)
  if (plan.mode !== 'interview') return resolveAgentForReflection(reflectionId, plan, host, signal)
  const interviewer = await resolveServerAgent('interviewer', host, signal)
  return { ...interviewer, fallback: () => resolveServerAgent('generic', host, signal) }
}

/**
 * The reflection's own agent for the surface, or the generic one, which takes its persona from variables. A member with
 * limited reach always gets the generic one, since the prompt of the reflection's own agent contains everything.
 */
async function resolveAgentForReflection(
  reflectionId: ReflectionId,
  { surface, isNarrowed }: Plan,
  host: AgentsHost,
  signal: AbortSignal,
): Promise<ResolvedAgent> {
  const generic = () => resolveServerAgent('generic', host, signal)
  if (isNarrowed) return generic()
  const found = await host.agents
    .ensureFresh(reflectionId, surface, signal)
    .catch((failure: unknown) => ({ kind: 'failed', failure }) as const)
  if (found.kind === 'fresh') {
    return { ...toOwnAgent(reflectionId, surface, found.agentId, host), fallback: generic }
  }
  if (signal.aborted) throw new PlatformError('cancelled')
  return { ...(await generic()), warnings: [createGenericWarning(explainFallback(found))] }
}

const toOwnAgent = (
  reflectionId: ReflectionId,
  surface: AgentSurface,
  agentId: string,
  { agents }: AgentsHost,
): ResolvedAgent => ({
  agentId,
  agent: 'own',
  forget: (signal) => agents.forget(reflectionId, surface, agentId, signal),
  warnings: [],
})

/** The configured agent, with our own as its fallback. The fallback of our own is a new one of the same kind. */
async function resolveServerAgent(
  kind: ServerAgentKind,
  { agents, configured }: AgentsHost,
  signal: AbortSignal,
): Promise<ResolvedAgent> {
  const ensureOwn = async (): Promise<ResolvedAgent> => {
    const agentId = await agents.ensureServerAgent(kind, signal)
    const forget = () => agents.forgetServerAgent(kind, agentId)
    return { agentId, agent: 'generic', forget, fallback: ensureOwn, warnings: [] }
  }
  const agentId = configured[kind]
  return agentId === undefined
    ? ensureOwn()
    : { agentId, agent: 'generic', fallback: ensureOwn, warnings: [] }
}

/** The public agent, or the agent for parts if the link reaches only some namespaces. Its fallback is a new one. */
async function resolvePublicAgent(
  reflectionId: ReflectionId,
  plan: Plan,
  host: AgentsHost,
  signal: AbortSignal,
): Promise<ResolvedAgent> {
  const surface = plan.allPublished ? 'public_part' : 'public'
  const found = await host.agents.ensureFresh(reflectionId, surface, signal).catch((failure: unknown) => {
    throw signal.aborted ? failure : createPublicNotReadyError(failure)
  })
  if (found.kind === 'fresh') {
    const fallback = () => resolvePublicAgent(reflectionId, plan, host, signal)
    const agent = plan.allPublished ? 'generic' : 'own'
    return { ...toOwnAgent(reflectionId, surface, found.agentId, host), agent, fallback }
  }
  if (found.kind === 'stale') {
    throw new PlatformError('public_runtime_stale', {
      message: `The public agent does not match the published namespaces: ${found.differs.join(', ')}.`,
      differs: [...found.differs],
    })
  }
  throw new PlatformError('public_runtime_not_ready', {
    message: `Public sessions cannot start yet: ${found.missing}.`,
    missing: [found.missing],
  })
}

/** Without the promoted artifacts no public session starts, since they may not match the published namespaces. */
export function createPublicNotReadyError(failure: unknown): PlatformError {
  if (failure instanceof PlatformError && failure.code === 'reflection_not_found') return failure
  const missing = 'the promoted artifacts could not be read'
  return new PlatformError(
    'public_runtime_not_ready',
    { message: `Public sessions cannot start yet: ${missing}. Try again in a moment.`, missing: [missing] },
    { cause: failure },
  )
}

type UnusableAgent =
  | Exclude<SurfaceAgent, { readonly kind: 'fresh' }>
  | { readonly kind: 'failed'; readonly failure: unknown }

function explainFallback(found: UnusableAgent): string {
  if (found.kind === 'not-ready') return found.missing
  if (found.kind === 'stale') return `it is out of date in ${found.differs.join(', ')}`
  return found.failure instanceof PlatformError ? found.failure.code : 'it could not be looked up'
}

/** A warning that the generic agent speaks, with the reason. */
export const createGenericWarning = (why: string): SessionWarning => ({
  code: 'agent_generic',
  message: `The generic agent answers instead of the reflection's own agent: ${why}.`,
})
