import { setTimeout as pause } from 'node:timers/promises'
import {
  CONVERSATIONS,
  PlatformError,
  type PreviewPublish,
  type PublishPreview,
  type Reflection,
  type SessionId,
} from '@parley/contracts'
import { shareLinkState } from '@parley/reflections'
import type { Services } from '../services.ts'

type Parts = Pick<Services, 'runtime' | 'shareLinks' | 'reflectionSessions'>

/** A dry run of publishing or unpublishing namespaces: the new public content, and the links and visitors affected. */
export async function previewPublishing(
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
        shareLinkState(link, Date.now()) === 'active' &&
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

/** A cancelled turn ends within moments. */
const MOST_TRIES = 40
const PAUSE_MS = 50

/**
 * Of sessions that ended since the public lost something: what still answers in them is stopped, and no other turn begins, though its
 * request was let in before.
 */
export async function stopUnpublished(
  ended: readonly SessionId[],
  { sessions, logger }: Pick<Services, 'sessions' | 'logger'>,
): Promise<void> {
  const stopped = await Promise.allSettled(ended.map((sessionId) => stop(sessionId, sessions)))
  for (const one of stopped) {
    if (one.status === 'rejected')
      logger.warn({ err: one.reason }, 'a turn of an unpublished session goes on')
  }
}

async function stop(sessionId: SessionId, sessions: Services['sessions']): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await sessions.cancel(sessionId)
      return await sessions.end(sessionId)
    } catch (failure) {
      const code = failure instanceof PlatformError ? failure.code : 'internal'
      if (code === 'session_not_found' || code === 'session_ended') return
      if (code !== 'session_busy' || tries === MOST_TRIES) throw failure
      await pause(PAUSE_MS)
    }
  }
}
