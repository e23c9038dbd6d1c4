import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import type { ApiClient, SourceToAdd } from '@parley/api-client'
import type { ReflectionId, Source, SourceId } from '@parley/contracts'
import { useConsoleHost } from '../../app/console-host.ts'
import { getErrorMessage } from '../../ui/error-message.ts'
import { getReflectionKey } from '../use-reflections.ts'

/** A source being uploaded, or one that failed. */
export interface Upload {
  readonly id: number
  readonly source: SourceToAdd
  /** The source that this is a new version of. */
  readonly sourceId: SourceId | undefined
  /** A refused upload cannot be retried: the server would not accept it. */
  readonly state: 'sending' | 'failed' | 'refused'
  readonly error?: string
}

interface QueueState {
  readonly items: readonly Upload[]
  /** The content uploaded from this page, by source, for a retry. */
  readonly sent: ReadonlyMap<SourceId, SourceToAdd>
}

interface QueueHost {
  readonly send: (source: SourceToAdd, sourceId?: SourceId) => Promise<Pick<Source, 'id'>>
  /** Resolves when the lists that show the source are reloaded. */
  readonly onSent: () => Promise<unknown>
}

type UploadQueue = ReturnType<typeof createUploadQueue>

/** Uploads one source at a time, so that many files do not overload the connection or the server. */
export function createUploadQueue({ send, onSent }: QueueHost) {
  let state: QueueState = { items: [], sent: new Map() }
  let lastId = 0
  let lastUpload = Promise.resolve()
  const listeners = new Set<() => void>()
  const change = (part: Partial<QueueState>) => {
    state = { ...state, ...part }
    for (const listener of listeners) listener()
  }

  const show = (upload: Omit<Upload, 'id'>): Upload => {
    lastId += 1
    const added = { id: lastId, ...upload }
    change({ items: [...state.items, added] })
    return added
  }
  const dismiss = ({ id }: Upload) => change({ items: state.items.filter((item) => item.id !== id) })
  const attempt = async (upload: Upload) => {
    try {
      const { id } = await send(upload.source, upload.sourceId)
      change({ sent: new Map(state.sent).set(id, upload.source) })
      await onSent()
      dismiss(upload)
    } catch (failure) {
      const failed: Upload = { ...upload, state: 'failed', error: getErrorMessage(failure) }
      change({ items: state.items.map((item) => (item.id === upload.id ? failed : item)) })
    }
  }

  return {
    state: () => state,
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    /** With a source id, uploads a new version of that source. */
    add: (source: SourceToAdd, sourceId?: SourceId) => {
      const upload = show({ source, sourceId, state: 'sending' })
      lastUpload = lastUpload.then(() => attempt(upload))
    },
    /** Shows a source that cannot be uploaded, with the reason. */
    refuse: (source: SourceToAdd, error: string) =>
      void show({ source, sourceId: undefined, state: 'refused', error }),
    dismiss,
  }
}

export type Uploads = QueueState & Pick<UploadQueue, 'add' | 'refuse' | 'dismiss'>

export function useUploads(reflectionId: ReflectionId): Uploads {
  const { client } = useConsoleHost()
  const { state, subscribe, ...actions } = getQueue(reflectionId, client, useQueryClient())
  return { ...useSyncExternalStore(subscribe, state), ...actions }
}

/** Kept per query client, which each sign-in creates, so uploads continue while other pages are open. */
const QUEUES = new WeakMap<QueryClient, Map<ReflectionId, UploadQueue>>()

function getQueue(reflectionId: ReflectionId, client: ApiClient, queries: QueryClient): UploadQueue {
  const queues = QUEUES.get(queries) ?? new Map<ReflectionId, UploadQueue>()
  QUEUES.set(queries, queues)
  const queue =
    queues.get(reflectionId) ??
    warnBeforeUnload(
      createUploadQueue({
        send: (source, sourceId) => client.reflections.addSource(reflectionId, source, sourceId),
        onSent: () => queries.invalidateQueries({ queryKey: [...getReflectionKey(reflectionId), 'sources'] }),
      }),
    )
  queues.set(reflectionId, queue)
  return queue
}

/** Makes the browser ask before the window closes during an upload. */
function warnBeforeUnload(queue: UploadQueue): UploadQueue {
  const isSending = () => queue.state().items.some(({ state }) => state === 'sending')
  const ask = (event: BeforeUnloadEvent) => isSending() && event.preventDefault()
  queue.subscribe(() => {
    if (isSending()) window.addEventListener('beforeunload', ask)
    else window.removeEventListener('beforeunload', ask)
  })
  return queue
}
