import {
  AgentSurface,
  type PackKind,
  Surface,
  type SyncMetadata,
  type SyncState,
  recordByAction,
} from '@parley/contracts'
import {
  decidePrivateFreshness,
  decidePublicFreshness,
  type Freshness,
  type FreshnessInput,
} from './decide-freshness.ts'
import type { SurfaceAgent, PromotedHashes, AgentsState } from '../ports/sync-store.ts'
import { buildAgentTemplate } from '../template/build-agent-template.ts'
import { buildPartPack } from '../packs/shared-packs.ts'
import { TOOL_DEFINITIONS } from '../template/tool-definitions.ts'
import { hashNamespaces } from '../artifacts/content-hash.ts'
import type { SyncHost } from './sync-host.ts'

export interface SurfaceState {
  readonly agent: SurfaceAgent
  /** The inputs of the desired agent; absent if no agent may be made. */
  readonly target?: SyncTarget
  /** The inputs of the last sync. */
  readonly synced?: SyncState
  readonly agentId?: string
}

export interface SyncTarget extends Readonly<SyncMetadata> {
  readonly generation: number
  readonly voiceId: string
  readonly fingerprint: string
}

type SurfaceStateHost = Pick<SyncHost, 'sha256' | 'keyedHash' | 'setUp'>

/** The surfaces with an agent. `public_part` has one after its first use. */
export const listAgentSurfaces = ({ syncs }: Pick<AgentsState, 'syncs'>): readonly AgentSurface[] =>
  syncs.public_part ? AgentSurface.options : Surface.options

const isPublic = (surface: AgentSurface): boolean => surface === 'public' || surface === 'public_part'

/** Compares the agent of a surface with the promoted artifacts and the published namespaces. */
export function decideSurfaceState(
  read: AgentsState,
  surface: AgentSurface,
  host: SurfaceStateHost,
): SurfaceState {
  const now = isPublic(surface) ? hidePrivateArtifacts(read) : read
  const { agentId, state: synced, fingerprint } = now.syncs[surface] ?? {}
  const target = buildTarget(now, surface, host)
  const question: FreshnessInput = {
    synced,
    agentId,
    promoted: now.promoted && target && { ...target, builtFromScopeHash: getBuiltScopeHash(now.promoted) },
    publishedScopeHash: hashPublishedScope(now, host),
    isAnythingPublished: now.publishedNamespaces.length > 0,
    isSetUpAlike: fingerprint === target?.fingerprint,
  }
  const freshness = isPublic(surface) ? decidePublicFreshness(question) : decidePrivateFreshness(question)
  return {
    agent: toSurfaceAgent(freshness, agentId, target?.packKind),
    ...(target && matchesPublishedScope(now, surface, host) && { target }),
    ...(synced && { synced }),
    ...(agentId !== undefined && { agentId }),
  }
}

/** Artifacts that are for members only are ignored for public agents. */
const hidePrivateArtifacts = ({ promoted, ...now }: AgentsState): AgentsState => ({
  ...now,
  ...(promoted?.isPublic && { promoted }),
})

function toSurfaceAgent(
  freshness: Freshness,
  agentId: string | undefined,
  packKind: PackKind | undefined,
): SurfaceAgent {
  if (freshness.kind !== 'fresh') return freshness
  if (agentId === undefined || packKind === undefined) return { kind: 'stale', differs: ['the agent'] }
  return { kind: 'fresh', agentId, packKind }
}

function buildTarget(
  now: AgentsState,
  surface: AgentSurface,
  host: SurfaceStateHost,
): SyncTarget | undefined {
  const { promoted } = now
  if (!promoted) return undefined
  const voiceId = now.voiceId ?? host.setUp.defaultVoiceId
  return {
    generation: promoted.generation,
    voiceId,
    ...buildMetadata(promoted, surface, host),
    publishedScopeHash: hashPublishedScope(now, host),
    fingerprint: hashFingerprint(voiceId, host),
  }
}

/** The agent for links to some namespaces has a pack without a dossier, and the scope of the public agent. */
const buildMetadata = (
  { sync }: PromotedHashes,
  surface: AgentSurface,
  { sha256 }: SurfaceStateHost,
): SyncMetadata =>
  surface === 'public_part'
    ? { ...sync.public, packContentHash: sha256(JSON.stringify(buildPartPack(sha256))) }
    : sync[surface]

/** Whether the artifacts were built from the published namespaces. Otherwise no public agent is made. */
const matchesPublishedScope = (now: AgentsState, surface: AgentSurface, host: SurfaceStateHost): boolean =>
  !isPublic(surface) ||
  (now.publishedNamespaces.length > 0 &&
    now.promoted !== undefined &&
    getBuiltScopeHash(now.promoted) === hashPublishedScope(now, host))

const getBuiltScopeHash = ({ sync }: PromotedHashes): string => sync.public.publishedScopeHash

const hashPublishedScope = ({ publishedNamespaces }: AgentsState, { sha256 }: SurfaceStateHost): string =>
  hashNamespaces(publishedNamespaces, sha256)

/** A hash of the agent's inputs besides its pack. The webhook is left out, since processes may know different ones. */
function hashFingerprint(voiceId: string, { setUp, keyedHash }: SurfaceStateHost): string {
  const { publicUrl, toolSecret } = setUp
  const template = buildAgentTemplate(EMPTY_PACK, { ...EMPTY_SET_UP, voiceId })
  return keyedHash(JSON.stringify([template, TOOL_DEFINITIONS, publicUrl, toolSecret]))
}

const EMPTY_PACK = { prompt: '-', firstMessage: '', placeholders: [], tools: [] }
const EMPTY_SET_UP = {
  name: '-',
  webhookId: null,
  toolIds: recordByAction(() => ''),
}
