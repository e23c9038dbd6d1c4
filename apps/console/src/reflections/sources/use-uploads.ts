import type { SourceToAdd } from '@parley/api-client'
import type { ReflectionId, SourceId } from '@parley/contracts'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useRef, useState } from 'react'
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

export interface Uploads {
  readonly items: readonly Upload[]
  /** With the id of a source, as a new version of it. */
  readonly add: (source: SourceToAdd, sourceId?: SourceId) => void
  /** What was sent for a source from this page, to be sent once more. */
  readonly sent: ReadonlyMap<SourceId, SourceToAdd>
  /** Something that cannot be sent at all, shown with the reason. */
  readonly refuse: (source: SourceToAdd, error: string) => void
  readonly dismiss: (upload: Upload) => void
}

/** Sends one source after the other, so that many files neither crowd the line nor the server. */
export function useUploads(reflectionId: ReflectionId): Uploads {
  const { client } = useConsoleHost()
  const queries = useQueryClient()
  const [items, setItems] = useState<readonly Upload[]>([])
  const [sent, setSent] = useState<ReadonlyMap<SourceId, SourceToAdd>>(new Map())
  const last = useRef({ id: 0, sent: Promise.resolve() })

  const show = useCallback((upload: Omit<Upload, 'id'>): Upload => {
    last.current.id += 1
    const shown = { id: last.current.id, ...upload }
    setItems((before) => [...before, shown])
    return shown
  }, [])

  const dismiss = useCallback(
    ({ id }: Upload) => setItems((before) => before.filter((item) => item.id !== id)),
    [],
  )

  const add = useCallback(
    (source: SourceToAdd, sourceId?: SourceId) => {
      const upload = show({ source, sourceId, state: 'sending' })
      const send = async () => {
        try {
          const { id } = await client.reflections.addSource(reflectionId, source, sourceId)
          setSent((before) => new Map(before).set(id, source))
          await queries.invalidateQueries({ queryKey: [...reflectionKey(reflectionId), 'sources'] })
          dismiss(upload)
        } catch (failure) {
          const failed: Upload = { ...upload, state: 'failed', error: messageOf(failure) }
          setItems((before) => before.map((item) => (item.id === upload.id ? failed : item)))
        }
      }
      last.current.sent = last.current.sent.then(send)
    },
    [client, dismiss, queries, reflectionId, show],
  )

  const refuse = useCallback(
    (source: SourceToAdd, error: string) =>
      void show({ source, sourceId: undefined, state: 'refused', error }),
    [show],
  )

  return { items, add, sent, refuse, dismiss }
}
