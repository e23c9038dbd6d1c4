import type { EvidenceItem, ReflectionId } from '@parley/contracts'

/** A question as it is searched for. */
export interface Search {
  readonly query: string
  /** Names of things and people in the question, folded; facts about them are found within two hops. */
  readonly entityKeys: readonly string[]
  readonly limit: number
}

/** Looks through what one audience may see. The database itself keeps to that. */
export interface Retriever {
  /** Of these namespaces of the reflection, or of all. */
  searchPrivate(
    reflectionId: ReflectionId,
    namespaces: readonly string[] | undefined,
    search: Search,
    signal: AbortSignal,
  ): Promise<readonly EvidenceItem[]>
  /** Of what the capability's live public session may see and is published now. */
  searchPublic(capability: Uint8Array, search: Search, signal: AbortSignal): Promise<readonly EvidenceItem[]>
}
