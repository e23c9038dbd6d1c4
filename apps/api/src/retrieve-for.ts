import { randomUUID } from 'node:crypto'
import type { Reflection, Retrieved } from '@parley/contracts'
import { type RetrievalHost, type RetrievalScope, retrieve } from '@parley/knowledge'
import type { Database } from '@parley/postgres'
import { wait } from './node-host.ts'

interface RetrievalQuestion {
  readonly query: string
  readonly limit: number
  readonly audience: 'private' | 'public'
  readonly namespaces?: readonly string[]
  /** Namespaces that give facts but no quotes, for the private audience. */
  readonly onlyFactsOf?: readonly string[]
  /** Set for a member who does not reach everything. */
  readonly capability?: Uint8Array | undefined
}

/** The evidence for a question, from all namespaces or from the given ones. */
export type Retrieve = (
  reflection: Reflection,
  question: RetrievalQuestion,
  signal: AbortSignal,
) => Promise<Retrieved>

/** A public question gets its own scope and the database login of public sessions. */
export function retrieveFor(
  { retriever, publicScopes }: Pick<Database, 'retriever' | 'publicScopes'>,
  vectors: Pick<RetrievalHost, 'embedder' | 'onVectorFailure'> = {},
): Retrieve {
  return async (
    reflection,
    { query, limit, audience, namespaces, onlyFactsOf, capability: ofMember },
    signal,
  ) => {
    // No cache: people ask about sources that they have just added.
    const within = (scope: RetrievalScope) =>
      retrieve({ query, limit }, scope, {
        retriever,
        clock: performance,
        wait,
        signal,
        ...vectors,
      })
    const { id: reflectionId, publishRevision, knowledgeRevision } = reflection
    const revisions = { publishRevision, knowledgeRevision }
    const base = { reflectionId, ...revisions, person: reflection, ...(namespaces && { namespaces }) }
    if (audience === 'private') {
      return within({ ...base, audience, capability: ofMember, ...(onlyFactsOf && { onlyFactsOf }) })
    }
    const sessionId = `preview_${randomUUID()}`
    const capability = await publicScopes.create({
      sessionId,
      reflectionId,
      ...(namespaces && { namespaces }),
    })
    try {
      return await within({ ...base, audience, capability })
    } finally {
      await publicScopes.end(sessionId)
    }
  }
}
