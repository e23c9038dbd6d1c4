import type { AgentSurface, PackKind, ReflectionId } from '@parley/contracts'
import type { Freshness } from '../freshness/decide-freshness.ts'

/** Which agents of the provider serve, made current where they are not. */
export interface RuntimeAgents {
  /**
   * Brings the agent of one surface to what is promoted, and for the public to what is published, where it is not there
   * already: once for all who wait. What cannot be brought there is told, never served.
   */
  ensureFresh(reflectionId: ReflectionId, surface: AgentSurface, signal: AbortSignal): Promise<SurfaceAgent>
  /** The provider has no use for this agent. While it is still the one of the surface, it counts as synced no more. */
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

/** Who interviews, and who takes its persona from variables. */
export type ServerAgentKind = 'interviewer' | 'generic'
