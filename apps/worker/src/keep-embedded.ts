import { setTimeout as pause } from 'node:timers/promises'
import { embedChunks, type EmbedHost } from '@parley/knowledge'
import type { Logger } from 'pino'

interface KeepHost extends Omit<EmbedHost, 'signal'> {
  readonly logger: Logger
}

export interface KeptEmbedded {
  /** There may be new chunks. */
  wake(): void
  stop(): Promise<void>
}

/** Without being woken it looks for what other workers learned and left. */
const LOOK_AGAIN_MS = 300_000
const TRY_AGAIN_MS = 30_000

/** Sees to it that chunks have vectors, in the background: those from before an embedder was set, and what comes. */
export function keepEmbedded({ logger, ...host }: KeepHost): KeptEmbedded {
  const stopping = new AbortController()
  const { signal } = stopping
  let news = new AbortController()

  const embedAll = async (): Promise<number> => {
    try {
      return (await embedChunks({ ...host, signal })) === 'done' ? LOOK_AGAIN_MS : TRY_AGAIN_MS
    } catch (err) {
      if (!signal.aborted) logger.warn({ err, model: host.embedder.model }, 'chunks wait for their vectors')
      return TRY_AGAIN_MS
    }
  }
  const keep = async () => {
    while (!signal.aborted) {
      // Before it looks, so that what comes meanwhile is looked for again.
      news = new AbortController()
      const waitMs = await embedAll()
      await pause(waitMs, undefined, { signal: AbortSignal.any([signal, news.signal]) }).catch(() => {})
    }
  }
  const kept = keep()
  return {
    wake: () => news.abort(),
    async stop() {
      stopping.abort()
      await kept
    },
  }
}
