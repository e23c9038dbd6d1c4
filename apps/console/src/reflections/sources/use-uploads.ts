import type { SourceToAdd } from '@parley/api-client'
import type { ReflectionId } from '@parley/contracts'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useRef, useState } from 'react'
import { useConsoleHost } from '../../app/console-host.ts'
import { messageOf } from '../../ui/message-of.ts'
import { reflectionKey } from '../reflection-keys.ts'

/** A source on its way to the server, or one that did not get there. */
export interface Upload {
  readonly id: number
  readonly source: SourceToAdd
  /** What is refused is not sent again: it would not be taken. */
  readonly state: 'sending' | 'failed' | 'refused'
  readonly error?: string
}

export interface Uploads {
  readonly items: readonly Upload[]
  readonly add: (source: SourceToAdd) => void
  /** Something that cannot be sent at all, shown with the reason. */
  readonly refuse: (source: SourceToAdd, error: string) => void
  readonly dismiss: (upload: Upload) => void
}

/** Sends one source after the other, so that many files neither crowd the line nor the server. */
export function useUploads(reflectionId: ReflectionId): Uploads {
  const { client } = useConsoleHost()
  const queries = useQueryClient()
  const [items, setItems] = useState<readonly Upload[]>([])
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
    (source: SourceToAdd) => {
      const upload = show({ source, state: 'sending' })
      const send = async () => {
        try {
          await client.reflections.addSource(reflectionId, source)
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
    (source: SourceToAdd, error: string) => void show({ source, state: 'refused', error }),
    [show],
  )

  return { items, add, refuse, dismiss }
}
