import type { Audience, Citation, EvidenceItem, ReflectionId, SessionId } from '@parley/contracts'

/** What was looked up in a session, and found. */
export interface Lookup {
  readonly sessionId: SessionId
  readonly reflectionId: ReflectionId
  readonly audience: Audience
  readonly query: string
  /** As it stands in the sources. */
  readonly evidence: readonly EvidenceItem[]
  readonly tookMs: number
}

/** Through whose eyes what was found is looked for again. The database itself keeps to that. */
export type CitedFor =
  | {
      readonly audience: 'private'
      readonly reflectionId: ReflectionId
      readonly namespaces: readonly string[]
      /** Of a member who does not reach everything. */
      readonly capability?: Uint8Array | undefined
      /** Namespaces of which facts are shown, and no words. */
      readonly onlyFactsOf: readonly string[]
    }
  | { readonly audience: 'public'; readonly capability: Uint8Array }

/** What was looked up in sessions. Of what was found nothing is kept but how to find it again. */
export interface CitationStore {
  /** Softly: an answer is no worse for a look-up of which nothing could be kept. */
  note(lookup: Lookup): void
  /** In the order of asking, those with a higher number; with all that still stands of each. */
  read(
    sessionId: SessionId,
    range: { readonly after: number; readonly limit: number },
    cited: CitedFor,
  ): Promise<readonly Citation[]>
}
