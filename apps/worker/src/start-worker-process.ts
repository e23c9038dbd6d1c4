import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { ModelPort } from '@parley/engine'
import {
  type EmbedHost,
  type Embedder,
  type FactExtractor,
  createModelExtractor,
  embedChunks,
  maskedEmbedder,
} from '@parley/knowledge'
import { createHealthRecorder, openLearning, startWorker, watchedModel } from '@parley/postgres'
import { type ArtifactStore, type Narrator, createModelNarrator } from '@parley/reflections'
import { createHandlers } from './handlers.ts'

export interface WorkerOptions {
  readonly databaseUrl: string
  readonly logger: Logger
  /** Who finds facts in sources, which are then sent to it, and writes the private narrative; by rules alone where absent. */
  readonly model?: ModelPort
  /** Takes out of a text what the model must not see. */
  readonly mask?: (text: string) => string
  /** Who makes vectors of chunks, which are then sent to it, masked too; search is by words alone where absent. */
  readonly embedder?: Embedder
}

export interface RunningWorker {
  /** Takes no more jobs, and puts down those that run: the next worker goes on with them. */
  stop(): Promise<void>
}

/** What learns in the background, on a database that is there and migrated. */
export async function startWorkerProcess(options: WorkerOptions): Promise<RunningWorker> {
  const { databaseUrl, logger, embedder, mask } = options
  const onError = (err: unknown) => logger.error({ err }, 'worker')
  const stores = openLearning({ databaseUrl, onError })
  try {
    const recorder = createHealthRecorder({
      log: stores.health,
      kind: 'worker',
      onError: (err) => logger.warn({ err }, 'how this process fares could not be written'),
    })
    const { model } = options
    const health = { health: recorder, coolsUntil: () => undefined, mask: mask ?? unmasked }
    const byModel = model && learnWith({ ...options, model: watchedModel(model, health) })
    let embedding: KeptEmbedded | undefined
    const onIngested = () => embedding?.wake()
    const handlers = createHandlers({ ...stores, logger, onIngested, ...byModel })
    const worker = await startWorker({ databaseUrl, handlers, onError })
    await stores.artifacts.askForMissing('at-start')
    const building = keepBuilt(stores.artifacts, logger)
    if (embedder) {
      const masked = mask ? maskedEmbedder(embedder, mask) : embedder
      embedding = keepEmbedded({ store: stores.embeddings, embedder: masked, logger })
    }
    const kept = recorder.begin()
    return {
      async stop() {
        await worker.stop()
        await building.stop()
        await embedding?.stop()
        await kept.stop()
        await stores.close()
      },
    }
  } catch (failure) {
    await stores.close()
    throw failure
  }
}

/** What a model does for a worker. It is shown masked text; what it says of it is held against the text itself. */
function learnWith({ model, mask = unmasked, logger }: WorkerOptions & { readonly model: ModelPort }) {
  const extractor = createModelExtractor(model, sha256)
  const tell = createModelNarrator(model, sha256)
  const warn = (err: unknown) => logger.warn({ err, model: model.modelId }, 'rules stand in for the model')
  const extractFacts: FactExtractor = {
    async extract(chunks, about, signal) {
      const masked = chunks.map((chunk) => ({ ...chunk, text: mask(chunk.text) }))
      try {
        return await extractor.extract(masked, about, signal)
      } catch (err) {
        if (!signal.aborted) warn(err)
        throw err
      }
    },
  }
  const narrator: Narrator = async ({ displayName, lines }, signal) => {
    const masked = lines.map((line) => ({ ...line, text: mask(line.text) }))
    try {
      return await tell(
        { displayName, lines: masked },
        AbortSignal.any([signal, AbortSignal.timeout(LONGEST_TELLING_MS)]),
      )
    } catch (err) {
      if (signal.aborted) throw err
      warn(err)
      return []
    }
  }
  return { extractFacts, narrator }
}

/** Until it is told, the public may have nothing that serves. */
const LONGEST_TELLING_MS = 20_000

const unmasked = (text: string) => text

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** So long a build that was given up waits at most until it is tried again. */
const EVERY_MS = 300_000

/** Asks again and again for what should speak and was never built, so that nothing stays old because its build was given up. */
export function keepBuilt(
  artifacts: Pick<ArtifactStore, 'askForMissing'>,
  logger: Logger,
  everyMs = EVERY_MS,
): { stop(): Promise<void> } {
  let asking = Promise.resolve()
  const timer = setInterval(() => {
    asking = artifacts.askForMissing('meanwhile').catch((err: unknown) => {
      logger.warn({ err }, 'could not look for what should be built')
    })
  }, everyMs).unref()
  return {
    stop() {
      clearInterval(timer)
      return asking
    },
  }
}

interface KeepHost extends Omit<EmbedHost, 'signal'> {
  readonly logger: Logger
}

interface KeptEmbedded {
  /** There may be new chunks. */
  wake(): void
  stop(): Promise<void>
}

/** Without being woken it looks for what other workers learned and left. */
const LOOK_AGAIN_MS = 300_000
const TRY_AGAIN_MS = 30_000

/** Sees to it that chunks have vectors, in the background: those from before an embedder was set, and what comes. */
function keepEmbedded({ logger, ...host }: KeepHost): KeptEmbedded {
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
