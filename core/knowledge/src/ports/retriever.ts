import type { EvidenceItem, ReflectionId } from '@parley/contracts'

/** A question as it is searched for. */
export interface SearchRequest {
  readonly query: string
  /** Synonyms of its words. */
  readonly otherWords?: readonly string[]
  /** Names of things and people in the question, folded; facts about them are found within two hops. */
  readonly entityKeys: readonly string[]
  readonly limit: number
  /** Namespaces that give facts but no chunks. */
  readonly onlyFactsOf?: readonly string[] | undefined
  /** No trace is kept of it. */
  readonly isUntraced?: boolean
}

/** A question as a vector, compared with vectors of the same model. */
export interface VectorSearchRequest {
  readonly vector: Float32Array
  readonly model: string
  readonly limit: number
  readonly onlyFactsOf?: readonly string[] | undefined
}

/** The results, unordered. */
export interface SearchResults {
  readonly evidence: readonly EvidenceItem[]
  /** The time was up before all was looked through. */
  readonly isPartial: boolean
}

/** Looks through what one audience may see. The database itself keeps to that. */
export interface Searcher<Sought> {
  /**
   * Of these namespaces of the reflection, or of all. With the capability of a member who does not reach everything, the
   * database shows nothing else than they reach.
   */
  searchPrivate(
    reflectionId: ReflectionId,
    namespaces: readonly string[] | undefined,
    sought: Sought,
    signal: AbortSignal,
    capability?: Uint8Array,
  ): Promise<SearchResults>
  /** Of what the capability's live public session may see and is published now. */
  searchPublic(capability: Uint8Array, sought: Sought, signal: AbortSignal): Promise<SearchResults>
}

export interface Retriever extends Searcher<SearchRequest> {
  /** Chunks whose vectors lie nearest, with how near, up to 1; absent where the database keeps no vectors. */
  readonly byVector?: Searcher<VectorSearchRequest>
}
