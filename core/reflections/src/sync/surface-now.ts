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
  type FreshnessQuestion,
} from '../freshness/decide-freshness.ts'
import type { SurfaceAgent } from '../ports/runtime-agents.ts'
import type { PromotedHashes, RuntimeNow } from '../ports/sync-store.ts'
import { buildElevenLabsAgentTemplate } from '../template/build-elevenlabs-agent-template.ts'
import { partPack } from '../template/generic-pack.ts'
import { TOOL_DEFINITIONS } from '../template/tool-definitions.ts'
import { namespacesHash } from '../variables/build-dynamic-variables.ts'
import type { SyncHost } from './sync-host.ts'

export interface SurfaceNow {
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

type Sums = Pick<SyncHost, 'sha256' | 'keyedHash' | 'setUp'>

/** The surfaces with an agent; the one for parts only after its first use. */
export const agentSurfacesOf = ({ syncs }: Pick<RuntimeNow, 'syncs'>): readonly AgentSurface[] =>
  syncs.public_part ? AgentSurface.options : Surface.options

const isPublic = (surface: AgentSurface): boolean => surface === 'public' || surface === 'public_part'

/** Compares the agent of a surface with the promoted artifacts and published namespaces that were read. */
export function surfaceNow(read: RuntimeNow, surface: AgentSurface, sums: Sums): SurfaceNow {
  const now = isPublic(surface) ? asPublic(read) : read
  const { agentId, state: synced, fingerprint } = now.syncs[surface] ?? {}
  const target = targetOf(now, surface, sums)
  const question: FreshnessQuestion = {
    synced,
    agentId,
    promoted: now.promoted && target && { ...target, builtFromScopeHash: builtFrom(now.promoted) },
    publishedScopeHash: scopeHashOf(now, sums),
    isAnythingPublished: now.publishedNamespaces.length > 0,
    isSetUpAlike: fingerprint === target?.fingerprint,
  }
  const freshness = isPublic(surface) ? decidePublicFreshness(question) : decidePrivateFreshness(question)
  return {
    agent: agentOf(freshness, agentId, target?.packKind),
    ...(target && isOfThisScope(now, surface, sums) && { target }),
    ...(synced && { synced }),
    ...(agentId !== undefined && { agentId }),
  }
}

/** Artifacts that are for members only are ignored for public agents. */
const asPublic = ({ promoted, ...now }: RuntimeNow): RuntimeNow => ({
  ...now,
  ...(promoted?.isPublic && { promoted }),
})

function agentOf(
  freshness: Freshness,
  agentId: string | undefined,
  packKind: PackKind | undefined,
): SurfaceAgent {
  if (freshness.kind !== 'fresh') return freshness
  if (agentId === undefined || packKind === undefined) return { kind: 'stale', differs: ['the agent'] }
  return { kind: 'fresh', agentId, packKind }
}

function targetOf(now: RuntimeNow, surface: AgentSurface, sums: Sums): SyncTarget | undefined {
  const { promoted } = now
  if (!promoted) return undefined
  const voiceId = now.voiceId ?? sums.setUp.defaultVoiceId
  return {
    generation: promoted.generation,
    voiceId,
    ...metadataOf(promoted, surface, sums),
    publishedScopeHash: scopeHashOf(now, sums),
    fingerprint: fingerprintOf(voiceId, sums),
  }
}

/** The agent of parts is made from a pack without a dossier, for the same scope as the public one. */
const metadataOf = ({ sync }: PromotedHashes, surface: AgentSurface, { sha256 }: Sums): SyncMetadata =>
  surface === 'public_part'
    ? { ...sync.public, packContentHash: sha256(JSON.stringify(partPack(sha256))) }
    : sync[surface]

/** No public agent is made from artifacts that were built from another scope than the one that is published. */
const isOfThisScope = (now: RuntimeNow, surface: AgentSurface, sums: Sums): boolean =>
  !isPublic(surface) ||
  (now.publishedNamespaces.length > 0 &&
    now.promoted !== undefined &&
    builtFrom(now.promoted) === scopeHashOf(now, sums))

const builtFrom = ({ sync }: PromotedHashes): string => sync.public.publishedScopeHash

const scopeHashOf = ({ publishedNamespaces }: RuntimeNow, { sha256 }: Sums): string =>
  namespacesHash(publishedNamespaces, sha256)

/** A hash of the agent's inputs besides its pack. The webhook is left out, since processes may know different ones. */
function fingerprintOf(voiceId: string, { setUp, keyedHash }: Sums): string {
  const { publicUrl, toolSecret } = setUp
  const template = buildElevenLabsAgentTemplate(EMPTY_PACK, { ...EMPTY_SET_UP, voiceId })
  return keyedHash(JSON.stringify([template, TOOL_DEFINITIONS, publicUrl, toolSecret]))
}

const EMPTY_PACK = { prompt: '-', firstMessage: '', placeholders: [], tools: [] }
const EMPTY_SET_UP = {
  name: '-',
  webhookId: null,
  toolIds: recordByAction(() => ''),
}
