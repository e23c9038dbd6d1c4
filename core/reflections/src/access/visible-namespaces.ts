import { type Audience, listPublishedNamespaces, PlatformError, type Reflection } from '@parley/contracts'
import type { ReflectionSession } from '../ports/reflection-session-store.ts'
import type { ShareLinkStore } from '../ports/share-link-store.ts'
import { findCurrentReach, type ReflectionReader } from './session-role.ts'

interface NamespaceReader {
  readonly sessionAudience: Audience
  /** The allowlist that was stored when the session started; absent while one is being planned. */
  readonly namespaces?: readonly string[]
}

/** A share link, or the reach of a member; absent namespaces mean all of them. */
interface NamespaceLimit {
  readonly namespaces?: readonly string[] | undefined
}

type Namespaces = Pick<Reflection, 'namespaces'>

/** The namespaces that a session may read now: in its allowlist, within its link or its member's reach and, in public, published. */
export function visibleNamespaces(
  { sessionAudience, namespaces }: NamespaceReader,
  limit: NamespaceLimit | undefined,
  reflection: Namespaces,
): readonly string[] {
  const candidates =
    sessionAudience === 'public'
      ? listPublishedNamespaces(reflection)
      : reflection.namespaces.map(({ name }) => name)
  return candidates.filter(
    (name) => (namespaces?.includes(name) ?? true) && (limit?.namespaces?.includes(name) ?? true),
  )
}

interface VisibleNamespacesHost {
  readonly reflections: Pick<ReflectionReader, 'find' | 'findMember'>
  readonly shareLinks: Pick<ShareLinkStore, 'find'>
}

/** What the person of a session sees of its reflection now. Undefined if the reflection was removed. */
export async function readVisibleNamespaces(
  session: ReflectionSession,
  { reflections, shareLinks }: VisibleNamespacesHost,
) {
  const { reflectionId, shareLinkId } = session
  const [reflection, link, reach] = await Promise.all([
    reflections.find(reflectionId),
    shareLinkId === undefined ? undefined : shareLinks.find(shareLinkId),
    findCurrentReach(session, { reflections }),
  ])
  return (
    reflection && { reflection, reach, namespaces: visibleNamespaces(session, reach ?? link, reflection) }
  )
}

/** Throws if a name is none of the existing namespaces. */
export function requireKnownNamespaces(names: readonly string[], existing: readonly string[]): void {
  const unknown = names.filter((name) => !existing.includes(name))
  if (unknown.length === 0) return
  throw new PlatformError('validation', {
    message: `There is no namespace ${unknown.join(', ')}. There are: ${existing.join(', ')}.`,
  })
}

/** Throws if a question names a namespace that its audience does not see. */
export function refuseUnknownNamespace(
  { audience, namespaces = [] }: { readonly audience: Audience; readonly namespaces?: readonly string[] },
  reflection: Namespaces,
): void {
  const known = visibleNamespaces({ sessionAudience: audience }, undefined, reflection)
  const unknown = namespaces.find((name) => !known.includes(name))
  if (unknown === undefined) return
  const kind = audience === 'public' ? 'published namespace' : 'namespace'
  const list = known.length === 0 ? 'It has none.' : `It has ${known.join(', ')}.`
  throw new PlatformError('validation', {
    message: `There is no ${kind} ${unknown} in this reflection. ${list}`,
  })
}
