import { setTimeout as pause } from 'node:timers/promises'
import { CONVERSATIONS, type EvidenceItem, type Retrieved } from '@parley/contracts'
import {
  BUDGET_MS,
  type RetrievalCache,
  type RetrievalHost,
  type RetrievalScope,
  retrieve,
  withinBudget,
} from '@parley/knowledge'
import type { Database } from '@parley/postgres'
import {
  currentReach,
  type Names,
  publicStatement,
  type ReflectionSession,
  visibleNamespaces,
} from '@parley/reflections'

/** What a session may be told about a question, within 700 ms or in part. */
export type RetrieveForSession = (
  session: ReflectionSession,
  query: string,
  signal: AbortSignal,
) => Promise<Retrieved>

export interface SessionRetrievalHost extends Pick<RetrievalHost, 'embedder' | 'onVectorFailure'> {
  readonly database: Pick<Database, 'retriever' | 'citations' | 'publicScopes' | 'reflections' | 'shareLinks'>
  readonly cache: RetrievalCache
}

/** What the search leaves for the look at what is published once it is done. */
const AFTERWARDS_MS = 50

/** As many as a model reads while somebody waits for its answer. */
const MOST_EVIDENCE = 6

/** The scope is what the stored session, its share link or its person's reach, and, for the public, what is published now have in common. */
export function retrieveForSession({
  database,
  cache,
  ...vectors
}: SessionRetrievalHost): RetrieveForSession {
  const { retriever, citations, publicScopes, reflections, shareLinks } = database
  return async (session, query, asking) => {
    const began = performance.now()
    const { reflectionId, shareLinkId } = session
    const look = async (signal: AbortSignal): Promise<Retrieved> => {
      const link = shareLinkId === undefined ? undefined : await shareLinks.find(shareLinkId)
      const [reflection, reach] = await Promise.all([
        reflections.find(reflectionId),
        currentReach(session, { reflections }),
      ])
      const namespaces = reflection ? visibleNamespaces(session, reach ?? link, reflection) : []
      if (!reflection || namespaces.length === 0) return { evidence: [] }
      const { publishRevision, knowledgeRevision } = reflection
      const shared = { reflectionId, publishRevision, knowledgeRevision, namespaces, person: reflection }
      const scope: RetrievalScope =
        session.sessionAudience === 'private'
          ? { ...shared, audience: 'private', onlyFactsOf: [CONVERSATIONS], capability: reach?.capability }
          : { ...shared, audience: 'public', capability: publicScopes.capabilityOf(session.sessionId) }
      const budgetMs = BUDGET_MS - AFTERWARDS_MS - (performance.now() - began)
      const host = { retriever, clock: performance, wait, signal, cache, budgetMs, ...vectors }
      // The trace of a session's question is kept with the session.
      const found = await retrieve({ query, limit: MOST_EVIDENCE, isUntraced: true }, scope, host)
      signal.throwIfAborted()
      if (session.sessionAudience === 'private') {
        noted(found)
        if (!found.evidence.some(({ corrects }) => corrects)) return found
        const names = { ...reflection, formerNames: await reflections.formerNames(reflectionId) }
        return { ...found, evidence: found.evidence.map((item) => underNamesNow(item, names)) }
      }
      // What was unpublished while we looked is not shown either.
      const now = await reflections.find(reflectionId)
      if (now?.publishRevision !== publishRevision) return look(signal)
      signal.throwIfAborted()
      const evidence = found.evidence.filter(({ namespace }) => namespaces.includes(namespace))
      const { evidence: kept } = noted({ ...found, evidence })
      const names = { ...reflection, formerNames: await reflections.formerNames(reflectionId) }
      return { ...found, evidence: kept.map((item) => toPublicEvidence(item, names)) }
    }
    const noted = (found: Retrieved): Retrieved => {
      const { sessionId, sessionAudience: audience, ingestion } = session
      const { evidence, tookMs = 0 } = found
      if (ingestion !== 'off-record')
        citations.note({ sessionId, reflectionId, audience, query, evidence, tookMs })
      return found
    }
    const found = await withinBudget(look, BUDGET_MS, { wait, signal: asking })
    return found === 'too late' ? { evidence: [], partial: true, tookMs: performance.now() - began } : found
  }
}

/** What a source says is published as it is; what was made of it names nobody whose name is not. */
export function toPublicEvidence<Item extends Pick<EvidenceItem, 'kind' | 'text' | 'corrects'>>(
  item: Item,
  names: Names,
): Item {
  if (item.kind !== 'fact') return item
  const { text, corrects } = item
  return {
    ...item,
    text: publicStatement(text, names),
    ...(corrects && { corrects: [...new Set(corrects.map((start) => publicStatement(start, names)))] }),
  }
}

/** A correction also under the names that its person has now: a prompt tells facts under these and under earlier ones. */
function underNamesNow(
  item: EvidenceItem,
  { displayName, creatorName = displayName, formerNames = [] }: Names,
): EvidenceItem {
  const names = [displayName, creatorName]
  const starts = item.corrects?.flatMap((start) => {
    const known = [...names, ...formerNames].find((name) => /^[ '’]/.test(afterName(start, name)))
    return known === undefined ? [start] : [start, ...names.map((name) => name + afterName(start, known))]
  })
  return starts ? { ...item, corrects: [...new Set(starts)] } : item
}

const afterName = (text: string, name: string): string =>
  text.startsWith(name) ? text.slice(name.length) : ''

/** Ends early where nobody waits any more. */
const wait = (ms: number, signal: AbortSignal) => pause(ms, undefined, { signal }).catch(() => {})
