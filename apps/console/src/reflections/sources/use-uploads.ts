import type { ApiClient } from '@parley/api-client'
import type { ReflectionId } from '@parley/contracts'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { useConsoleHost } from '../../app/console-host.ts'
import { reflectionKey } from '../reflection-keys.ts'
import { createUploadQueue, type QueueState, type UploadQueue } from './create-upload-queue.ts'

export type Uploads = QueueState & Pick<UploadQueue, 'add' | 'refuse' | 'dismiss'>

export function useUploads(reflectionId: ReflectionId): Uploads {
  const { client } = useConsoleHost()
  const { state, subscribe, ...ways } = queueOf(reflectionId, client, useQueryClient())
  return { ...useSyncExternalStore(subscribe, state), ...ways }
}

/** By the query client, which everyone who signs in has of their own; so they outlive a look at another page. */
const QUEUES = new WeakMap<QueryClient, Map<ReflectionId, UploadQueue>>()

function queueOf(reflectionId: ReflectionId, client: ApiClient, queries: QueryClient): UploadQueue {
  const known = QUEUES.get(queries) ?? new Map<ReflectionId, UploadQueue>()
  QUEUES.set(queries, known)
  const queue =
    known.get(reflectionId) ??
    askedBeforeLeaving(
      createUploadQueue({
        send: (source, sourceId) => client.reflections.addSource(reflectionId, source, sourceId),
        onSent: () => queries.invalidateQueries({ queryKey: [...reflectionKey(reflectionId), 'sources'] }),
      }),
    )
  known.set(reflectionId, queue)
  return queue
}

/** Whoever closes the window while something is being sent is asked by the browser. */
function askedBeforeLeaving(queue: UploadQueue): UploadQueue {
  const isSending = () => queue.state().items.some(({ state }) => state === 'sending')
  const ask = (event: BeforeUnloadEvent) => isSending() && event.preventDefault()
  queue.subscribe(() => {
    if (isSending()) window.addEventListener('beforeunload', ask)
    else window.removeEventListener('beforeunload', ask)
  })
  return queue
}
