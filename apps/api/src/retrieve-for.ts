import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Reflection, Retrieved } from '@parley/contracts'
import { type RetrievalHost, type RetrievalScope, retrieve } from '@parley/knowledge'
import type { Database } from '@parley/postgres'

export interface RetrievalQuestion {
  readonly query: string
  readonly limit: number
  readonly audience: 'private' | 'public'
  readonly namespaces?: readonly string[]
  /** Of what the private may see: namespaces of which only facts are told. */
  readonly onlyFactsOf?: readonly string[]
  /** Of a member who does not reach everything. */
  readonly capability?: Uint8Array | undefined
}

/** What the reflection's sources say about a question, of all namespaces or of those that are named. */
export type Retrieve = (
  reflection: Reflection,
  asked: RetrievalQuestion,
  signal: AbortSignal,
) => Promise<Retrieved>

/** For the public it asks as a public session does: with a scope of its own, through the login that sees nothing else. */
export function retrieveFor(
  { retriever, publicScopes }: Pick<Database, 'retriever' | 'publicScopes'>,
  vectors: Pick<RetrievalHost, 'embedder' | 'onVectorFailure'> = {},
): Retrieve {
  return async (
    reflection,
    { query, limit, audience, namespaces, onlyFactsOf, capability: ofMember },
    signal,
  ) => {
    // Answers are not kept here: who has just added a source asks for what is in it.
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

/** Ends early where nobody waits any more. */
const wait = (ms: number, signal: AbortSignal) => pause(ms, undefined, { signal }).catch(() => {})
