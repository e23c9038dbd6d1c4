import type { SessionReflection } from '@parley/contracts'
import { currentReach, type ReflectionSession, sessionActions, visibleNamespaces } from '@parley/reflections'
import type { Services } from '../services.ts'

/** What a session with a reflection is to whoever may read it. A visitor is told of nothing that is not published. */
export async function sessionReflection(
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
