import { CONVERSATIONS, type Citation, type SessionReflection } from '@parley/contracts'
import type { CitationReader } from '@parley/knowledge'
import { type ReflectionSession, currentReach, sessionActions, visibleNamespaces } from '@parley/reflections'
import type { Caller } from '../auth/authenticate.ts'
import type { Services } from '../services.ts'
import { toPublicEvidence } from './retrieve-for-session.ts'

/** A session's reflection, for whoever may read the session. A visitor sees published namespaces only. */
export async function describeReflectionSession(
  session: ReflectionSession,
  { reflections, shareLinks }: Pick<Services, 'reflections' | 'shareLinks'>,
): Promise<SessionReflection | undefined> {
  const {
    reflectionId,
    shareLinkId,
    mode,
    sessionAudience: audience,
    surface,
    ingestion,
    status,
    transcript,
    failure,
  } = session
  const reflection = await reflections.find(reflectionId)
  if (!reflection) return undefined
  const link = shareLinkId === undefined ? undefined : await shareLinks.find(shareLinkId)
  const reach = await currentReach(session, { reflections })
  return {
    ...(audience === 'private' && { id: reflectionId }),
    displayName: reflection.displayName,
    mode,
    audience,
    surface,
    actions: [...sessionActions({ ...session, audience })],
    namespaces: [...visibleNamespaces(session, reach ?? link, reflection)],
    ingestion,
    status,
    transcript,
    ...(failure !== undefined && { failure }),
  }
}

type Host = Pick<Services, 'citations' | 'reflections' | 'shareLinks' | 'publicScopes'>

/** What was looked up in a session with a reflection, with what of it may still be told to who asks. */
export async function readCitations(
  session: ReflectionSession,
  { personId }: Pick<Caller, 'personId'>,
  range: { readonly after: number; readonly limit: number },
  { citations, reflections, shareLinks, publicScopes }: Host,
): Promise<readonly Citation[]> {
  const { sessionId, reflectionId, shareLinkId, sessionAudience } = session
  const reflection = await reflections.find(reflectionId)
  if (!reflection || session.ingestion === 'off-record') return []
  const link = shareLinkId === undefined ? undefined : await shareLinks.find(shareLinkId)
  // By who reads: the person of the session, or an admin.
  const reach = (await reflections.memberOf(reflectionId, personId))?.reach
  const isVisitors = sessionAudience === 'public' && session.personId === personId
  const cited: CitationReader = isVisitors
    ? { audience: 'public', capability: publicScopes.capabilityOf(sessionId) }
    : {
        audience: 'private',
        reflectionId,
        namespaces: visibleNamespaces(session, reach ?? link, reflection),
        capability: reach?.capability,
        onlyFactsOf: [CONVERSATIONS],
      }
  const names = { ...reflection, formerNames: await reflections.formerNames(reflectionId) }
  const found = await citations.read(sessionId, range, cited)
  const told = (item: Cited): Cited => {
    if (sessionAudience === 'private') return withoutConfidant(item)
    const { source, ...rest } = toPublicEvidence(item, names)
    return { ...rest, source: isVisitors ? { title: source.title } : source }
  }
  return found.map((citation) => ({ ...citation, evidence: citation.evidence.map(told) }))
}

type Cited = Citation['evidence'][number]

/** Whose conversation a fact comes from is not told with it. */
const withoutConfidant = (item: Cited): Cited =>
  item.namespace === CONVERSATIONS ? { ...item, source: { title: 'A conversation' }, place: {} } : item
