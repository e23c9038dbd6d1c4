import type { ReflectionId } from '@parley/contracts'

export interface Question {
  readonly query: string
  readonly limit: number
}

interface ScopeBase {
  readonly reflectionId: ReflectionId
  /** As it is now: with another, nothing that was kept of earlier answers is given. */
  readonly publishRevision: number
  readonly namespaces?: readonly string[]
}

/** What may be looked through, and for whom. */
export type RetrievalScope =
  | (ScopeBase & { readonly audience: 'private' })
  | (ScopeBase & { readonly audience: 'public'; readonly capability: Uint8Array })
