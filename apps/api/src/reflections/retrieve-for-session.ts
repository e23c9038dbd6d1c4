import { BUDGET_MS, type RetrievalCache, type RetrievalHost, retrieve } from '@parley/knowledge'
import type { Database } from '@parley/postgres'
import { type RetrieveForSession, createRetrieveForSession } from '@parley/reflections'
import { wait } from '../node-host.ts'

export interface SessionRetrievalHost extends Pick<RetrievalHost, 'embedder' | 'onVectorFailure'> {
  readonly database: Pick<Database, 'retriever' | 'citations' | 'publicScopes' | 'reflections' | 'shareLinks'>
  readonly cache: RetrievalCache
}

/** Retrieval for sessions on the database of this server. */
export const retrieveForSession = ({
  database,
  cache,
  ...vectors
}: SessionRetrievalHost): RetrieveForSession =>
  createRetrieveForSession({
    ...database,
    clock: performance,
    wait,
    budgetMs: BUDGET_MS,
    search({ query, limit, budgetMs }, { reflection, namespaces, reader }, signal) {
      const { id: reflectionId, publishRevision, knowledgeRevision } = reflection
      const scope = { reflectionId, publishRevision, knowledgeRevision, namespaces, person: reflection }
      const { retriever } = database
      const host = { retriever, clock: performance, wait, signal, cache, budgetMs, ...vectors }
      // The session keeps its own record of the question.
      return retrieve({ query, limit, isUntraced: true }, { ...scope, ...reader }, host)
    },
  })
