import type { SyncState } from '@parley/contracts'

/** The inputs of a surface's agent according to the promoted artifacts. */
type PromotedAgentState = Pick<SyncState, 'packKind' | 'packContentHash' | 'dossierHash'> & {
  /** The scope that the artifacts were built from. */
  readonly builtFromScopeHash: string
}

export interface FreshnessInput {
  readonly synced?: SyncState | undefined
  readonly promoted?: PromotedAgentState | undefined
  /** The hash of the namespaces that are published now. */
  readonly publishedScopeHash: string
  readonly isAnythingPublished: boolean
  /** The agent that the reflection has for this surface now. */
  readonly agentId?: string | undefined
  /** Whether voice, tools and address are unchanged since the sync. */
  readonly isSetUpAlike: boolean
}

export type Freshness =
  | { readonly kind: 'fresh' }
  | { readonly kind: 'not-ready'; readonly missing: string }
  | { readonly kind: 'stale'; readonly differs: readonly string[] }

/** Why no agent can speak yet. */
export const NOT_READY = {
  unpublished: { kind: 'not-ready', missing: 'nothing is published' },
  unpromoted: { kind: 'not-ready', missing: 'no artifacts are promoted' },
} as const

/** A public agent is fresh only if its synced state matches the promoted artifacts and the published namespaces. */
export function decidePublicFreshness(question: FreshnessInput): Freshness {
  const { synced, promoted, publishedScopeHash, isAnythingPublished } = question
  if (!isAnythingPublished) return NOT_READY.unpublished
  if (!promoted) return NOT_READY.unpromoted
  const scope =
    promoted.builtFromScopeHash === publishedScopeHash ? [] : ['the scope that the artifacts were built from']
  if (!synced) return decideUnsynced(question, scope)
  const differs = [
    ...listDifferences(synced, promoted, question),
    ...(synced.publishedScopeHash === publishedScopeHash ? [] : ['the published namespaces']),
    ...scope,
  ]
  return differs.length === 0 ? { kind: 'fresh' } : { kind: 'stale', differs }
}

/** The same for a private surface, whose scope is everything. */
export function decidePrivateFreshness(question: FreshnessInput): Freshness {
  const { synced, promoted } = question
  if (!promoted) return NOT_READY.unpromoted
  if (!synced) return decideUnsynced(question)
  const differs = listDifferences(synced, promoted, question)
  return differs.length === 0 ? { kind: 'fresh' } : { kind: 'stale', differs }
}

/** An agent without a state was marked stale, or its sync did not finish. */
function decideUnsynced({ agentId }: FreshnessInput, scope: readonly string[] = []): Freshness {
  if (agentId !== undefined)
    return { kind: 'stale', differs: ['everything, since the agent was marked stale', ...scope] }
  return {
    kind: 'not-ready',
    missing: scope.length > 0 ? 'the published namespaces are not built yet' : 'the agent was never synced',
  }
}

function listDifferences(
  synced: SyncState,
  promoted: PromotedAgentState,
  { agentId, isSetUpAlike }: FreshnessInput,
): readonly string[] {
  return [
    ...(synced.agentId === agentId ? [] : ['the agent']),
    ...(synced.packKind === promoted.packKind ? [] : ['the kind of the pack']),
    ...(synced.packContentHash === promoted.packContentHash ? [] : ['the pack']),
    ...(synced.dossierHash === promoted.dossierHash ? [] : ['the dossier']),
    ...(isSetUpAlike ? [] : ['the voice or the tools']),
  ]
}
