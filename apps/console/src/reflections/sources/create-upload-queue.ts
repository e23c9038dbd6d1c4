import type { SourceToAdd } from '@parley/api-client'
import type { Source, SourceId } from '@parley/contracts'
import { messageOf } from '../../ui/message-of.ts'

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

export interface QueueState {
  readonly items: readonly Upload[]
  /** What was sent for a source from this page, to be sent once more. */
  readonly sent: ReadonlyMap<SourceId, SourceToAdd>
}

interface QueueHost {
  readonly send: (source: SourceToAdd, sourceId?: SourceId) => Promise<Pick<Source, 'id'>>
  /** Done once the lists that show it have been read anew. */
  readonly onSent: () => Promise<unknown>
}

export type UploadQueue = ReturnType<typeof createUploadQueue>

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
