import type { ReflectionId } from '@parley/contracts'

/** The names of the person whose reflection answers. */
export interface PersonNames {
  readonly displayName: string
  readonly creatorName?: string | undefined
}

export interface RetrievalRequest {
  readonly query: string
  readonly limit: number
  /** No trace is kept of it. */
  readonly isUntraced?: boolean
}

interface ScopeBase {
  readonly reflectionId: ReflectionId
  /** As it is now: with another, nothing that was kept of earlier answers is given. */
  readonly publishRevision: number
  /** The same of the facts and passages: a fact that was rejected, reverted or superseded is not told again. */
  readonly knowledgeRevision: number
  readonly namespaces?: readonly string[]
  /** “You” is them, and so are “he” and “she” where nobody else is named. */
  readonly person?: PersonNames
}

/** The scope of a search, and its reader. */
export type RetrievalScope =
  | (ScopeBase & {
      readonly audience: 'private'
      /** Namespaces that give facts but no quotes: their words are confidential. */
      readonly onlyFactsOf?: readonly string[]
      /** Of a member who does not reach everything. */
      readonly capability?: Uint8Array | undefined
    })
  | (ScopeBase & { readonly audience: 'public'; readonly capability: Uint8Array })
