import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { ModelPort } from '@parley/engine'
import {
  type EmbedHost,
  type Embedder,
  type FactExtractor,
  createModelExtractor,
  embedChunks,
  createMaskedEmbedder,
} from '@parley/knowledge'
import { createHealthRecorder, openLearning, startJobWorker, watchModel } from '@parley/postgres'
import { type ArtifactStore, type Narrator, createModelNarrator } from '@parley/reflections'
import { createJobHandlers, sha256 } from './handlers.ts'

export interface WorkerOptions {
  readonly databaseUrl: string
  readonly logger: Logger
  /** Extracts facts (sources are sent to it) and writes the private narrative; without it, rules do. */
  readonly model?: ModelPort
  /** Masks secrets before text goes to the model. */
  readonly mask?: (text: string) => string
  /** Embeds chunks, which are sent to it masked; without it, search uses keywords only. */
  readonly embedder?: Embedder
}

export interface RunningWorker {
  /** Takes no more jobs and releases running ones for the next worker. */
  stop(): Promise<void>
}

/** Runs the background worker on a migrated database. */
export async function startWorkerProcess(options: WorkerOptions): Promise<RunningWorker> {
  const { databaseUrl, logger, embedder, mask } = options
  const onError = (err: unknown) => logger.error({ err }, 'worker')
  const stores = openLearning({ databaseUrl, onError })
  try {
    const recorder = createHealthRecorder({
      log: stores.health,
      kind: 'worker',
      onError: (err) => logger.warn({ err }, 'the health of this process could not be recorded'),
    })
    const { model } = options
    const health = { health: recorder, coolsUntil: () => undefined, mask: mask ?? unmasked }
    const byModel = model && composeLearning({ ...options, model: watchModel(model, health) })
    let embedding: EmbeddingLoop | undefined
    const onIngested = () => embedding?.wake()
    const handlers = createJobHandlers({ ...stores, logger, onIngested, ...byModel })
    const worker = await startJobWorker({ databaseUrl, handlers, onError })
    await stores.artifacts.requestMissingBuilds('at-start')
    const building = startRebuildChecks(stores.artifacts, logger)
    if (embedder) {
      const masked = mask ? createMaskedEmbedder(embedder, mask) : embedder
      embedding = startEmbedding({ store: stores.embeddings, embedder: masked, logger })
    }
    const recording = recorder.start()
    return {
      async stop() {
        await worker.stop()
        await building.stop()
        await embedding?.stop()
        await recording.stop()
        await stores.close()
      },
    }
  } catch (failure) {
    await stores.close()
    throw failure
  }
}

/** Model-based steps. The model sees masked text; its results are checked against the original. */
function composeLearning({ model, mask = unmasked, logger }: WorkerOptions & { readonly model: ModelPort }) {
  const extractor = createModelExtractor(model, sha256)
  const tell = createModelNarrator(model, sha256)
  const warn = (err: unknown) => logger.warn({ err, model: model.modelId }, 'the model failed; using rules')
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
        AbortSignal.any([signal, AbortSignal.timeout(NARRATION_MS)]),
      )
    } catch (err) {
      if (signal.aborted) throw err
      warn(err)
      return []
    }
  }
  return { extractFacts, narrator }
}

/** Until then, the public may have no version in use. */
const NARRATION_MS = 20_000

const unmasked = (text: string) => text

/** The longest wait before a failed build is retried. */
const REBUILD_CHECK_MS = 300_000

/** Regularly requests missing builds, so that a failed build does not leave an old version in use. */
export function startRebuildChecks(
  artifacts: Pick<ArtifactStore, 'requestMissingBuilds'>,
  logger: Logger,
  everyMs = REBUILD_CHECK_MS,
): { stop(): Promise<void> } {
  let asking = Promise.resolve()
  const timer = setInterval(() => {
    asking = artifacts.requestMissingBuilds('periodically').catch((err: unknown) => {
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

interface EmbeddingHost extends Omit<EmbedHost, 'signal'> {
  readonly logger: Logger
}

interface EmbeddingLoop {
  /** Checks for new chunks now. */
  wake(): void
  stop(): Promise<void>
}

/** Regular check for chunks that other workers left. */
const EMBEDDING_CHECK_MS = 300_000
const EMBEDDING_RETRY_MS = 30_000

/** Embeds chunks in the background: new ones, and those from before an embedder was set. */
function startEmbedding({ logger, ...host }: EmbeddingHost): EmbeddingLoop {
  const stopping = new AbortController()
  const { signal } = stopping
  let news = new AbortController()

  const embedAll = async (): Promise<number> => {
    try {
      return (await embedChunks({ ...host, signal })) === 'done' ? EMBEDDING_CHECK_MS : EMBEDDING_RETRY_MS
    } catch (err) {
      if (!signal.aborted) logger.warn({ err, model: host.embedder.model }, 'embedding failed; will retry')
      return EMBEDDING_RETRY_MS
    }
  }
  const embedUntilStopped = async () => {
    while (!signal.aborted) {
      // Reset before the check, so that chunks that arrive during it are found next time.
      news = new AbortController()
      const waitMs = await embedAll()
      await pause(waitMs, undefined, { signal: AbortSignal.any([signal, news.signal]) }).catch(() => {})
    }
  }
  const finished = embedUntilStopped()
  return {
    wake: () => news.abort(),
    async stop() {
      stopping.abort()
      await finished
    },
  }
}
