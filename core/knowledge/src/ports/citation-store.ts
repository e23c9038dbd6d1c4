import type { Audience, Citation, EvidenceItem, ReflectionId, SessionId } from '@parley/contracts'

/** A look-up in a session, with its results. */
export interface Lookup {
  readonly sessionId: SessionId
  readonly reflectionId: ReflectionId
  readonly audience: Audience
  readonly query: string
  /** As the sources write it. */
  readonly evidence: readonly EvidenceItem[]
  readonly tookMs: number
}

/** The reader for whom citations are resolved again. The database enforces it. */
export type CitationReader =
  | {
      readonly audience: 'private'
      readonly reflectionId: ReflectionId
      readonly namespaces: readonly string[]
      /** Of a member who does not reach everything. */
      readonly capability?: Uint8Array | undefined
      /** Namespaces that show facts but no quotes. */
      readonly onlyFactsOf: readonly string[]
    }
  | { readonly audience: 'public'; readonly capability: Uint8Array }

/** The look-ups of sessions. Only references to results are stored, never their text. */
export interface CitationStore {
  /** Never throws: an answer does not fail because its look-up could not be stored. */
  note(lookup: Lookup): void
  /** In the order of asking, those with a higher number; with all that still stands of each. */
  read(
    sessionId: SessionId,
    range: { readonly after: number; readonly limit: number },
    cited: CitationReader,
  ): Promise<readonly Citation[]>
}
