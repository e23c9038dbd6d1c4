import { randomUUID } from 'node:crypto'
import { BUDGET_MS, type RetrievalCache, type RetrievalHost, retrieve } from '@parley/knowledge'
import type { Database } from '@parley/postgres'
import {
  type AskQuestion,
  type RetrieveForSession,
  createAskQuestion,
  createRetrieveForSession,
} from '@parley/reflections'
import { wait } from '../node-host.ts'

type VectorSearch = Pick<RetrievalHost, 'embedder' | 'onVectorFailure'>

export interface QuestionHost extends VectorSearch {
  readonly database: Pick<Database, 'retriever' | 'publicScopes'>
}

/** Questions of members, on the database of this server. No cache: people ask about sources that they have just added. */
export const composeAskQuestion = ({ database, ...vectors }: QuestionHost): AskQuestion =>
  createAskQuestion({
    publicScopes: database.publicScopes,
    createPreviewId: randomUUID,
    search(question, scope, signal) {
      const { retriever } = database
      return retrieve(question, scope, {
        retriever,
        clock: performance,
        wait,
        signal,
        ...vectors,
      })
    },
  })

export interface SessionRetrievalHost extends VectorSearch {
  readonly database: Pick<Database, 'retriever' | 'citations' | 'publicScopes' | 'reflections' | 'shareLinks'>
  readonly cache: RetrievalCache
}

/** Retrieval for sessions, on the database of this server. */
export const composeRetrieveForSession = ({
  database,
  cache,
  ...vectors
}: SessionRetrievalHost): RetrieveForSession =>
  createRetrieveForSession({
    ...database,
    clock: performance,
    wait,
    budgetMs: BUDGET_MS,
    search({ query, limit, budgetMs }, scope, signal) {
      const { retriever } = database
      const host = { retriever, clock: performance, wait, signal, cache, budgetMs, ...vectors }
      // The session keeps its own record of the question.
      return retrieve({ query, limit, isUntraced: true }, scope, host)
    },
  })
