import {
  CONVERSATIONS,
  PlatformError,
  type PreviewPublish,
  type PublishPreview,
  type Reflection,
} from '@parley/contracts'
import { shareLinkState } from '@parley/reflections'
import type { Services } from '../services.ts'

type Parts = Pick<Services, 'runtime' | 'shareLinks' | 'reflectionSessions'>

/** What publishing these namespaces, or unpublishing them, would do, and whom it touches. Nothing is changed or kept. */
export async function previewPublishFor(
  { id, namespaces }: Reflection,
  wanted: PreviewPublish,
  { runtime, shareLinks, reflectionSessions }: Parts,
): Promise<PublishPreview> {
  refuseImpossible(namespaces, wanted)
  const [preview, links, visitors] = await Promise.all([
    runtime.previewPublish(id, wanted),
    shareLinks.list(id),
    reflectionSessions.visitors(id),
  ])
  if (!preview) throw new PlatformError('reflection_not_found', { reflectionId: id })
  return {
    ...preview,
    links: links.filter(
      (link) =>
        shareLinkState(link, Date.now()) === 'good' &&
        (!link.namespaces || link.namespaces.some((name) => wanted.namespaces.includes(name))),
    ).length,
    visitors,
  }
}

function refuseImpossible(all: Reflection['namespaces'], { namespaces, publish }: PreviewPublish): void {
  const known = all.map(({ name }) => name)
  const unknown = namespaces.filter((name) => !known.includes(name))
  if (unknown.length > 0) {
    throw new PlatformError('validation', {
      message: `There is no namespace ${unknown.join(', ')}. There are: ${known.join(', ')}.`,
    })
  }
  if (publish && namespaces.includes(CONVERSATIONS)) {
    throw new PlatformError('validation', {
      message: `The namespace ${CONVERSATIONS} holds what people said in confidence, and cannot be published. Leave it out.`,
    })
  }
}
