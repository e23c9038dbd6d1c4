import type { ProviderStore } from '@parley/postgres'
import { allDocuments } from '../store-glue/all-documents.ts'
import { abandoned, INVOCATION, invocationOf, toBody } from './invocation.ts'

/** Written again and again while a process runs the tests of an invocation; it has the invocation's id. */
export const RUNNING = 'running_tests'

export interface Pace {
  readonly beatMs: number
  /** So long without a beat means that nobody runs them. */
  readonly deadMs: number
}

export interface KeepAliveHost {
  readonly documents: ProviderStore['documents']
  /** What this process runs. */
  readonly own: () => Iterable<string>
  readonly pace: Pace
  readonly now: () => number
  readonly onError: (error: unknown) => void
}

/** Shows others that this process runs its tests, and fails those whose process shows nothing more. */
export function keepAlive({ documents, own, pace, now, onError }: KeepAliveHost) {
  const lastBeats = new Map<string, { readonly beat: number; readonly seenAt: number }>()
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  const fail = async (id: string) => {
    await documents.change(INVOCATION, id, (body) => toBody(abandoned(invocationOf(body), DIED, now())))
    await documents.remove(RUNNING, id)
    lastBeats.delete(id)
  }

  const look = async () => {
    const mine = new Set(own())
    for (const id of mine) await documents.change(RUNNING, id, (body) => body)
    for await (const { id, updatedAt } of allDocuments(documents, RUNNING)) {
      if (mine.has(id)) continue
      // Two clocks need not agree: it counts how long we ourselves have seen no change.
      const beat = updatedAt.getTime()
      const last = lastBeats.get(id)
      if (last?.beat !== beat) lastBeats.set(id, { beat, seenAt: performance.now() })
      else if (performance.now() - last.seenAt >= pace.deadMs) await fail(id)
    }
  }

  const goOn = async () => {
    await look().catch(onError)
    if (stopped) return
    timer = setTimeout(() => {
      looking = goOn()
    }, pace.beatMs).unref()
  }

  let looking = goOn()
  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await looking
    },
  }
}

const DIED = 'The process that ran this test died. Run it again.'
