import type {
  AgentSurface,
  PackKind,
  ReflectionId,
  Surface,
  SyncMetadata,
  SyncState,
} from '@parley/contracts'
import type { Freshness } from '../sync/decide-freshness.ts'
import type { ProviderAgent } from './voice-provider.ts'

/** The agents at the provider, brought up to date on demand. */
export interface VoiceAgents {
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
  ensureServerAgent(kind: ServerAgentKind, signal: AbortSignal): Promise<string>
  /** The provider rejected this agent: check it before it is used again. */
  forgetServerAgent(kind: ServerAgentKind, agentId: string): Promise<void>
}

export type SurfaceAgent =
  | { readonly kind: 'fresh'; readonly agentId: string; readonly packKind: PackKind }
  | Exclude<Freshness, { readonly kind: 'fresh' }>

/** The shared agents: the interviewer, and the generic one, which takes its persona from variables. */
export type ServerAgentKind = 'interviewer' | 'generic'

/** The agent of a surface at the provider, and the state that it was synced with; without state while it is stale. */
export interface SurfaceSync {
  readonly agentId: string
  readonly state?: SyncState
  /** A hash of its other inputs: voice, tools, address. */
  readonly fingerprint?: string
  /** The defaults that the provider set when the agent was created. */
  readonly providerDefaults?: ProviderAgent['otherFields']
  /**
   * The number of removals, since the last overwrite, of sources that it may hold. An overwrite writes back the number that
   * it read, so a removal during the overwrite stays pending.
   */
  readonly pendingRevocations?: number
}

/** The desired state of a reflection's agents at one moment. */
export interface AgentsState {
  /** The reflection's chosen voice. */
  readonly voiceId?: string
  readonly publishedNamespaces: readonly string[]
  readonly promoted?: PromotedHashes
  readonly syncs: Readonly<Partial<Record<AgentSurface, SurfaceSync>>>
}

/** The hashes of the promoted artifacts. */
export interface PromotedHashes {
  readonly generation: number
  readonly sync: Readonly<Record<Surface, SyncMetadata>>
  /** False if a source of it is no longer published. */
  readonly isPublic: boolean
}

interface ServerAgent {
  readonly agentId: string
  /** The defaults that the provider set when the agent was created. */
  readonly providerDefaults?: ProviderAgent['otherFields']
}

export interface SyncStore {
  /** Undefined for an unknown reflection. */
  read(reflectionId: ReflectionId, signal?: AbortSignal): Promise<AgentsState | undefined>
  /** False if the reflection was removed: then nothing is stored. */
  write(reflectionId: ReflectionId, surface: AgentSurface, sync: SurfaceSync): Promise<boolean>
  /** Deletes the state of the surface, if it still has this agent. */
  forget(
    reflectionId: ReflectionId,
    surface: AgentSurface,
    agentId: string,
    signal?: AbortSignal,
  ): Promise<void>
  /** The agents that may still hold unpublished or removed sources. */
  listPendingRevocations(): Promise<
    readonly { readonly reflectionId: ReflectionId; readonly surface: AgentSurface }[]
  >
  readServerAgent(kind: ServerAgentKind): Promise<ServerAgent | undefined>
  writeServerAgent(kind: ServerAgentKind, agent: ServerAgent): Promise<void>
  /** Runs one work for each name at a time, in all processes. The work is aborted by the caller, or if the lock is lost. */
  runExclusively<Outcome>(
    name: string,
    work: (signal: AbortSignal) => Promise<Outcome>,
    signal: AbortSignal,
  ): Promise<Outcome>
}
