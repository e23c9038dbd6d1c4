import {
  CONVERSATIONS,
  PlatformError,
  type PreviewPublish,
  type PublishPreview,
  type Reflection,
  getShareLinkState,
} from '@parley/contracts'
import { requireKnownNamespaces } from '../access/visible-namespaces.ts'
import type { ArtifactReader } from '../ports/artifact-store.ts'
import type { ReflectionSessionStore } from '../ports/reflection-session-store.ts'
import type { ShareLinkStore } from '../ports/share-link-store.ts'

interface PreviewHost {
  readonly runtime: Pick<ArtifactReader, 'previewPublish'>
  readonly shareLinks: Pick<ShareLinkStore, 'list'>
  readonly sessionRows: Pick<ReflectionSessionStore, 'countVisitors'>
  readonly now: () => number
}

/** A dry run of publishing or unpublishing namespaces: the new public content, and the links and visitors affected. */
export async function previewPublishing(
  { id, namespaces }: Reflection,
  request: PreviewPublish,
  { runtime, shareLinks, sessionRows, now }: PreviewHost,
): Promise<PublishPreview> {
  requirePublishable(request.namespaces, { namespaces })
  if (request.publish) refuseConversations(request.namespaces)
  const [preview, links, visitors] = await Promise.all([
    runtime.previewPublish(id, request),
    shareLinks.list(id),
    sessionRows.countVisitors(id),
  ])
  if (!preview) throw new PlatformError('reflection_not_found', { reflectionId: id })
  const affected = links.filter(
    (link) =>
      getShareLinkState(link, now()) === 'active' &&
      (!link.namespaces || link.namespaces.some((name) => request.namespaces.includes(name))),
  )
  return { ...preview, links: affected.length, visitors }
}

/** Throws if confidential conversations would be published. */
export function refuseConversations(namespaces: readonly string[]): void {
  if (!namespaces.includes(CONVERSATIONS)) return
  throw new PlatformError('validation', {
    message: `The namespace ${CONVERSATIONS} holds confidential conversations and cannot be published. Leave it out.`,
  })
}

/** Throws if a name is none of the namespaces, and lists those that can be published. */
export function requirePublishable(
  names: readonly string[],
  { namespaces }: Pick<Reflection, 'namespaces'>,
): void {
  const existing = namespaces.map(({ name }) => name).filter((name) => name !== CONVERSATIONS)
  requireKnownNamespaces(
    names.filter((name) => name !== CONVERSATIONS),
    existing,
  )
}
