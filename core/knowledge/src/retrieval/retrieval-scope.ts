import type { ReflectionId } from '@parley/contracts'
import type { PersonNames } from '../facts/names.ts'

export interface RetrievalRequest {
  readonly query: string
  readonly limit: number
  /** The search is not recorded. */
  readonly isUntraced?: boolean
}

interface ScopeBase {
  readonly reflectionId: ReflectionId
  /** Current revision. Cached results of other revisions are not used. */
  readonly publishRevision: number
  /** Current revision of facts and chunks, so results never contain rejected or replaced facts. */
  readonly knowledgeRevision: number
  readonly namespaces?: readonly string[]
  /** “You” means them, and so do “he” and “she” if the question names nobody else. */
  readonly person?: PersonNames
}

/** The reader of a search, and what it may search. */
export type RetrievalScope =
  | (ScopeBase & {
      readonly audience: 'private'
      /** Namespaces with confidential words: only their facts are searched. */
      readonly onlyFactsOf?: readonly string[]
      /** For a member with access to some namespaces only. */
      readonly capability?: Uint8Array | undefined
    })
  | (ScopeBase & { readonly audience: 'public'; readonly capability: Uint8Array })
