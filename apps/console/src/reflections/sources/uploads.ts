import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import type { ApiClient, SourceToAdd } from '@parley/api-client'
import type { ReflectionId, Source, SourceId } from '@parley/contracts'
import { useConsoleHost } from '../../app/console-host.ts'
import { messageOf } from '../../ui/message-of.ts'
import { reflectionKey } from '../reflection-keys.ts'

/** A source on its way to the server, or one that did not get there. */
export interface Upload {
  readonly id: number
  readonly source: SourceToAdd
  /** The source that this is a new version of. */
  readonly sourceId: SourceId | undefined
  /** What is refused is not sent again: it would not be taken. */
  readonly state: 'sending' | 'failed' | 'refused'
  readonly error?: string
}

interface QueueState {
  readonly items: readonly Upload[]
  /** What was sent for a source from this page, to be sent once more. */
  readonly sent: ReadonlyMap<SourceId, SourceToAdd>
}

interface QueueHost {
  readonly send: (source: SourceToAdd, sourceId?: SourceId) => Promise<Pick<Source, 'id'>>
  /** Done once the lists that show it have been read anew. */
  readonly onSent: () => Promise<unknown>
}

type UploadQueue = ReturnType<typeof createUploadQueue>

/** Sends one source after the other, so that many files neither crowd the line nor the server. */
export function createUploadQueue({ send, onSent }: QueueHost) {
  let state: QueueState = { items: [], sent: new Map() }
  let lastId = 0
  let turn = Promise.resolve()
  const listeners = new Set<() => void>()
  const change = (part: Partial<QueueState>) => {
    state = { ...state, ...part }
    for (const listener of listeners) listener()
  }

  const show = (upload: Omit<Upload, 'id'>): Upload => {
    lastId += 1
    const shown = { id: lastId, ...upload }
    change({ items: [...state.items, shown] })
    return shown
  }
  const dismiss = ({ id }: Upload) => change({ items: state.items.filter((item) => item.id !== id) })
  const attempt = async (upload: Upload) => {
    try {
      const { id } = await send(upload.source, upload.sourceId)
      change({ sent: new Map(state.sent).set(id, upload.source) })
      await onSent()
      dismiss(upload)
    } catch (failure) {
      const failed: Upload = { ...upload, state: 'failed', error: messageOf(failure) }
      change({ items: state.items.map((item) => (item.id === upload.id ? failed : item)) })
    }
  }

  return {
    state: () => state,
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    /** With the id of a source, as a new version of it. */
    add: (source: SourceToAdd, sourceId?: SourceId) => {
      const upload = show({ source, sourceId, state: 'sending' })
      turn = turn.then(() => attempt(upload))
    },
    /** Something that cannot be sent at all, shown with the reason. */
    refuse: (source: SourceToAdd, error: string) =>
      void show({ source, sourceId: undefined, state: 'refused', error }),
    dismiss,
  }
}

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
