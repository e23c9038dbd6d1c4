import { createHash } from 'node:crypto'
import type { ModelPort } from '@parley/engine'
import { createModelExtractor, type Embedder, type FactExtractor, maskedEmbedder } from '@parley/knowledge'
import { createModelNarrator, type Narrator } from '@parley/reflections'
import { createHealthRecorder, openLearning, startWorker, watchedModel } from '@parley/postgres'
import type { Logger } from 'pino'
import { createHandlers } from './handlers.ts'
import { keepBuilt } from './keep-built.ts'
import { keepEmbedded, type KeptEmbedded } from './keep-embedded.ts'

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
