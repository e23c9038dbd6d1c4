import {
  CONVERSATIONS,
  type Citation,
  type PersonId,
  type ReflectionId,
  type SessionId,
  type SessionReflection,
} from '@parley/contracts'
import type { ReflectionReader } from '../access/session-role.ts'
import { readVisibleNamespaces } from '../access/visible-namespaces.ts'
import { listSessionActions } from '../access/session-access.ts'
import type { ReflectionSession } from '../ports/reflection-session-store.ts'
import type { ShareLinkStore } from '../ports/share-link-store.ts'
import { toPublicEvidence } from '../retrieval/evidence-names.ts'

interface DescribeHost {
  readonly reflections: ReflectionReader & FormerNamesReader
  readonly shareLinks: Pick<ShareLinkStore, 'find'>
}

export interface FormerNamesReader {
  /** The names that the creator had before. Nobody sees them, but facts may still use them. */
  readFormerNames(reflectionId: ReflectionId): Promise<readonly string[]>
}

/** A session's reflection, for somebody who may read the session. A visitor sees published namespaces only. */
export async function describeReflectionSession(
  session: ReflectionSession,
  host: Parameters<typeof readVisibleNamespaces>[1],
): Promise<SessionReflection | undefined> {
  const { reflectionId, mode, sessionAudience: audience, surface } = session
  const { ingestion, status, transcript, failure } = session
  const visible = await readVisibleNamespaces(session, host)
  if (!visible) return undefined
  return {
    ...(audience === 'private' && { id: reflectionId }),
    displayName: visible.reflection.displayName,
    mode,
    audience,
    surface,
    actions: [...listSessionActions({ ...session, audience })],
    namespaces: [...visible.namespaces],
    ingestion,
    status,
    transcript,
    ...(failure !== undefined && { failure }),
  }
}

/** What the reader of citations may see; see `CitationStore`. */
type CitationAccess =
  | {
      readonly audience: 'private'
      readonly reflectionId: ReflectionId
      readonly namespaces: readonly string[]
      readonly capability?: Uint8Array | undefined
      readonly onlyFactsOf: readonly string[]
    }
  | { readonly audience: 'public'; readonly capability: Uint8Array }

interface CitationRange {
  readonly after: number
  readonly limit: number
}

interface CitationsHost extends DescribeHost {
  readonly citations: {
    read(sessionId: SessionId, range: CitationRange, reader: CitationAccess): Promise<readonly Citation[]>
  }
  readonly publicScopes: { getCapability(sessionId: SessionId): Uint8Array }
}

/** The look-ups of a session, with the results that its reader, its person or an admin, may still see. */
export async function readCitations(
  session: ReflectionSession,
  personId: PersonId,
  range: CitationRange,
  host: CitationsHost,
): Promise<readonly Citation[]> {
  const { sessionId, reflectionId, sessionAudience } = session
  const visible = await readVisibleNamespaces({ ...session, personId }, host)
  if (!visible || session.ingestion === 'off-record') return []
  const { reflection, namespaces, reach } = visible
  const isVisitor = sessionAudience === 'public' && session.personId === personId
  const reader: CitationAccess = isVisitor
    ? { audience: 'public', capability: host.publicScopes.getCapability(sessionId) }
    : {
        audience: 'private',
        reflectionId,
        namespaces,
        capability: reach?.capability,
        onlyFactsOf: [CONVERSATIONS],
      }
  const names = { ...reflection, formerNames: await host.reflections.readFormerNames(reflectionId) }
  const show = (item: CitedEvidence): CitedEvidence => {
    if (sessionAudience === 'private') return hideConversation(item)
    const { source, ...rest } = toPublicEvidence(item, names)
    return { ...rest, source: isVisitor ? { title: source.title } : source }
  }
  const citations = await host.citations.read(sessionId, range, reader)
  return citations.map((citation) => ({ ...citation, evidence: citation.evidence.map(show) }))
}

type CitedEvidence = Citation['evidence'][number]

/** A citation does not reveal the conversation that a fact comes from. */
const hideConversation = (item: CitedEvidence): CitedEvidence =>
  item.namespace === CONVERSATIONS ? { ...item, source: { title: 'A conversation' }, place: {} } : item
