import {
  type Audience,
  CONVERSATIONS,
  type EvidenceItem,
  type Reflection,
  type ReflectionId,
  type RetrievalResult,
  type SessionId,
} from '@parley/contracts'
import { type Wait, withinDeadline } from '@parley/engine'
import type { RetrievalScope } from '@parley/knowledge'
import type { ReflectionReader } from '../access/session-role.ts'
import { readVisibleNamespaces } from '../access/visible-namespaces.ts'
import type { ReflectionSession } from '../ports/reflection-session-store.ts'
import type { ShareLinkStore } from '../ports/share-link-store.ts'
import type { FormerNamesReader } from '../sessions/describe-session.ts'
import { toPublicEvidence, addCurrentNames } from './evidence-names.ts'

/** The evidence for a question in a session; partial if the time is up. */
export type RetrieveForSession = (
  session: ReflectionSession,
  query: string,
  signal: AbortSignal,
) => Promise<RetrievalResult>

/** Who searches; the database checks the capability again. */
type SearchReader =
  | {
      readonly audience: 'private'
      /** Namespaces that give facts but no quotes. */
      readonly onlyFactsOf: readonly string[]
      readonly capability: Uint8Array | undefined
    }
  | { readonly audience: 'public'; readonly capability: Uint8Array }

/** The scope of one search in a reflection: these namespaces, or all that the reader sees. */
export const createRetrievalScope = (
  reflection: Reflection,
  reader: SearchReader,
  namespaces?: readonly string[],
): RetrievalScope => {
  const { id: reflectionId, publishRevision, knowledgeRevision } = reflection
  const revisions = { publishRevision, knowledgeRevision }
  return { reflectionId, ...revisions, person: reflection, ...(namespaces && { namespaces }), ...reader }
}

interface SessionSearch {
  readonly query: string
  readonly limit: number
  readonly budgetMs: number
}

interface RetrieveForSessionHost {
  readonly search: (
    search: SessionSearch,
    scope: RetrievalScope,
    signal: AbortSignal,
  ) => Promise<RetrievalResult>
  readonly reflections: ReflectionReader & FormerNamesReader
  readonly shareLinks: Pick<ShareLinkStore, 'find'>
  readonly publicScopes: { getCapability(sessionId: SessionId): Uint8Array }
  readonly citations: {
    record(citation: {
      readonly sessionId: SessionId
      readonly reflectionId: ReflectionId
      readonly audience: Audience
      readonly query: string
      readonly evidence: readonly EvidenceItem[]
      readonly tookMs: number
    }): void
  }
  /** Milliseconds of a clock that never goes back. */
  readonly clock: { now(): number }
  readonly wait: Wait
  /** The time for one answer. */
  readonly budgetMs: number
}

/** Time kept after a search to read the published namespaces again. */
const RECHECK_MS = 50

/** As many as a model reads while a person waits for its answer. */
const MAX_EVIDENCE = 6

/** Searches the namespaces that the session sees now. See `visibleNamespaces`. */
export const createRetrieveForSession =
  (host: RetrieveForSessionHost): RetrieveForSession =>
  async (session, query, signal) => {
    const beganAt = host.clock.now()
    const search = (timed: AbortSignal) => searchForSession(session, query, { host, beganAt, signal: timed })
    const found = await withinDeadline(search, host.budgetMs, host.wait, signal)
    if (found !== 'too late') return found
    return { evidence: [], partial: true, tookMs: host.clock.now() - beganAt }
  }

interface TimedSearch {
  readonly host: RetrieveForSessionHost
  readonly beganAt: number
  readonly signal: AbortSignal
}

async function searchForSession(
  session: ReflectionSession,
  query: string,
  timed: TimedSearch,
): Promise<RetrievalResult> {
  const { host, beganAt, signal } = timed
  const visible = await readVisibleNamespaces(session, host)
  if (!visible || visible.namespaces.length === 0) return { evidence: [] }
  const { reflection, namespaces, reach } = visible
  const reader: SearchReader =
    session.sessionAudience === 'private'
      ? { audience: 'private', onlyFactsOf: [CONVERSATIONS], capability: reach?.capability }
      : { audience: 'public', capability: host.publicScopes.getCapability(session.sessionId) }
  const scope = createRetrievalScope(reflection, reader, namespaces)
  const budgetMs = host.budgetMs - RECHECK_MS - (host.clock.now() - beganAt)
  const found = await host.search({ query, limit: MAX_EVIDENCE, budgetMs }, scope, signal)
  if (signal.aborted) throw signal.reason
  if (session.sessionAudience === 'private') {
    recordLookup(session, query, found, host)
    if (!found.evidence.some(({ corrects }) => corrects)) return found
    const names = await readNames(reflection, host)
    return { ...found, evidence: found.evidence.map((item) => addCurrentNames(item, names)) }
  }
  // Search again if something was published or unpublished during the search.
  const now = await host.reflections.find(reflection.id)
  if (now?.publishRevision !== reflection.publishRevision) return searchForSession(session, query, timed)
  if (signal.aborted) throw signal.reason
  const evidence = found.evidence.filter(({ namespace }) => namespaces.includes(namespace))
  recordLookup(session, query, { ...found, evidence }, host)
  const names = await readNames(reflection, host)
  return { ...found, evidence: evidence.map((item) => toPublicEvidence(item, names)) }
}

/** Off the record nothing is stored. */
function recordLookup(
  { sessionId, reflectionId, sessionAudience: audience, ingestion }: ReflectionSession,
  query: string,
  { evidence, tookMs = 0 }: RetrievalResult,
  { citations }: RetrieveForSessionHost,
): void {
  if (ingestion === 'off-record') return
  citations.record({ sessionId, reflectionId, audience, query, evidence, tookMs })
}

const readNames = async (reflection: Reflection, { reflections }: RetrieveForSessionHost) => ({
  ...reflection,
  formerNames: await reflections.readFormerNames(reflection.id),
})
