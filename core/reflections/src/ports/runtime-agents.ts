import type { AgentSurface, PackKind, ReflectionId } from '@parley/contracts'
import type { Freshness } from '../freshness/decide-freshness.ts'

/** The agents at the provider, brought up to date on demand. */
export interface RuntimeAgents {
  /**
   * Brings the agent of one surface up to date with the promoted artifacts and, for the public, the published namespaces.
   * Concurrent callers share one sync. An agent that is not up to date is reported and never used.
   */
  ensureFresh(reflectionId: ReflectionId, surface: AgentSurface, signal: AbortSignal): Promise<SurfaceAgent>
  /** The provider rejected this agent: it counts as not synced, if it still is the surface's agent. */
  forget(
    reflectionId: ReflectionId,
    surface: AgentSurface,
    agentId: string,
    signal?: AbortSignal,
  ): Promise<void>
  /** The shared agent, created on first use. */
  serverAgent(kind: ServerAgentKind, signal: AbortSignal): Promise<string>
  /** The provider rejected this agent: check it before it is used again. */
  forgetServerAgent(kind: ServerAgentKind, agentId: string): Promise<void>
}

export type SurfaceAgent =
  | { readonly kind: 'fresh'; readonly agentId: string; readonly packKind: PackKind }
  | Exclude<Freshness, { readonly kind: 'fresh' }>

/** The shared agents: the interviewer, and the generic one, which takes its persona from variables. */
export type ServerAgentKind = 'interviewer' | 'generic'
