import type { EvidenceItem, ReflectionId } from '@parley/contracts'

/** A question, prepared for the search. */
export interface SearchRequest {
  readonly query: string
  /** Synonyms of its words. */
  readonly otherWords?: readonly string[]
  /** Normalised names of things and people in the question. The search follows facts about them for two hops. */
  readonly entityKeys: readonly string[]
  readonly limit: number
  /** Namespaces whose facts are searched, but not their chunks. */
  readonly onlyFactsOf?: readonly string[] | undefined
  /** The search is not recorded. */
  readonly isUntraced?: boolean
}

/** A question as a vector. It is compared only with vectors of the same model. */
export interface VectorSearchRequest {
  readonly vector: Float32Array
  readonly model: string
  readonly limit: number
  readonly onlyFactsOf?: readonly string[] | undefined
}

/** Unordered results. */
export interface SearchResults {
  readonly evidence: readonly EvidenceItem[]
  /** The search timed out before it had finished. */
  readonly isPartial: boolean
}

/** Searches only content that the audience may see. The database enforces this. */
export interface Searcher<Request> {
  /**
   * Searches these namespaces of the reflection, or all. With the capability of a member, searches only what that member
   * can read.
   */
  searchPrivate(
    reflectionId: ReflectionId,
    namespaces: readonly string[] | undefined,
    request: Request,
    signal: AbortSignal,
    capability?: Uint8Array,
  ): Promise<SearchResults>
  /** Searches the published content that the capability's active public session may see. */
  searchPublic(capability: Uint8Array, request: Request, signal: AbortSignal): Promise<SearchResults>
}

export interface Retriever extends Searcher<SearchRequest> {
  /** Finds the chunks with the closest vectors, scored up to 1. Absent if the database does not support vectors. */
  readonly byVector?: Searcher<VectorSearchRequest>
}
