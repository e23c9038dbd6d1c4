import type { Audience, Citation, EvidenceItem, ReflectionId, SessionId } from '@parley/contracts'

/** One search in a session, with its results. */
interface NewCitation {
  readonly sessionId: SessionId
  readonly reflectionId: ReflectionId
  readonly audience: Audience
  readonly query: string
  /** The unmasked text of the sources. */
  readonly evidence: readonly EvidenceItem[]
  readonly tookMs: number
}

/** The reader of the citations. The database enforces the reader's access. */
export type CitationReader =
  | {
      readonly audience: 'private'
      readonly reflectionId: ReflectionId
      readonly namespaces: readonly string[]
      /** For a member with access to some namespaces only. */
      readonly capability?: Uint8Array | undefined
      /** Namespaces that show facts but no quotes. */
      readonly onlyFactsOf: readonly string[]
    }
  | { readonly audience: 'public'; readonly capability: Uint8Array }

/** Stores the searches of sessions: references to the results, never their text. */
export interface CitationStore {
  /** Never throws: a failed write must not fail the answer. */
  record(citation: NewCitation): void
  /** Returns the searches after a number, oldest first, with the evidence that the reader may still see. */
  read(
    sessionId: SessionId,
    range: { readonly after: number; readonly limit: number },
    cited: CitationReader,
  ): Promise<readonly Citation[]>
}
