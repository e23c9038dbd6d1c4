import type { AgentSurface, ReflectionId, Surface, SyncMetadata, SyncState } from '@parley/contracts'
import type { ServerAgentKind } from './runtime-agents.ts'
import type { HeldAgent } from './voice-provider.ts'

/** The agent that a surface has at the provider, and what it was made from; none of it while it is stale. */
export interface SurfaceSync {
  readonly agentId: string
  readonly state?: SyncState
  /** Of all that it was made from besides artifacts: voice, tools, address. */
  readonly fingerprint?: string
  /** What the provider filled in when the agent was made. It is kept for as long as the agent is the same. */
  readonly made?: HeldAgent['rest']
  /**
   * How often something that it may hold was taken back since it was last overwritten. Who overwrites it writes what they
   * read before, so that what is taken back meanwhile is still to be done.
   */
  readonly takenBack?: number
}

/** What an agent has to agree with, at one moment. */
export interface RuntimeNow {
  /** The voice that was chosen for the reflection. */
  readonly voiceId?: string
  readonly publishedNamespaces: readonly string[]
  readonly promoted?: PromotedHashes
  readonly syncs: Readonly<Partial<Record<AgentSurface, SurfaceSync>>>
}

/** What serves, by its hashes alone. */
export interface PromotedHashes {
  readonly generation: number
  readonly sync: Readonly<Record<Surface, SyncMetadata>>
  /** Whether the public may be told it: not where something of it has left what is published. */
  readonly isPublic: boolean
}

export interface ServerAgent {
  readonly agentId: string
  /** What the provider filled in when it was made. It is kept for as long as the agent is the same. */
  readonly made?: HeldAgent['rest']
}

export interface SyncStore {
  /** Undefined where there is no such reflection. */
  read(reflectionId: ReflectionId, signal?: AbortSignal): Promise<RuntimeNow | undefined>
  /** False where the reflection was removed: then nothing is kept. */
  write(reflectionId: ReflectionId, surface: AgentSurface, sync: SurfaceSync): Promise<boolean>
  /** Takes the state away from the surface, where it still has this agent. */
  forget(
    reflectionId: ReflectionId,
    surface: AgentSurface,
    agentId: string,
    signal?: AbortSignal,
  ): Promise<void>
  /** The agents that may still hold unpublished or removed sources. */
  holdingTakenBack(): Promise<
    readonly { readonly reflectionId: ReflectionId; readonly surface: AgentSurface }[]
  >
  readServerAgent(kind: ServerAgentKind): Promise<ServerAgent | undefined>
  writeServerAgent(kind: ServerAgentKind, agent: ServerAgent): Promise<void>
  /**
   * One at a time for each name, in all processes; the next one waits. The work is called off where the caller calls it
   * off, or where it is not known any more that it is alone.
   */
  alone<Outcome>(
    name: string,
    work: (signal: AbortSignal) => Promise<Outcome>,
    signal: AbortSignal,
  ): Promise<Outcome>
}
