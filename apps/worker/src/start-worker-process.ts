import { createHash } from 'node:crypto'
import type { ModelPort } from '@parley/engine'
import { createModelExtractor, type Embedder, type FactExtractor, maskedEmbedder } from '@parley/knowledge'
import { openLearning, startWorker } from '@parley/postgres'
import type { Logger } from 'pino'
import { createHandlers } from './handlers.ts'
import { keepEmbedded, type KeptEmbedded } from './keep-embedded.ts'

export interface WorkerOptions {
  readonly databaseUrl: string
  readonly logger: Logger
  /** Who finds facts in sources, which are then sent to it; by rules alone where absent. */
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
    const extractFacts = extractorOf(options)
    let embedding: KeptEmbedded | undefined
    const onIngested = () => embedding?.wake()
    const handlers = createHandlers({ ...stores, logger, onIngested, ...(extractFacts && { extractFacts }) })
    const worker = await startWorker({ databaseUrl, handlers, onError })
    if (embedder) {
      const masked = mask ? maskedEmbedder(embedder, mask) : embedder
      embedding = keepEmbedded({ store: stores.embeddings, embedder: masked, logger })
    }
    return {
      async stop() {
        await worker.stop()
        await embedding?.stop()
        await stores.close()
      },
    }
  } catch (failure) {
    await stores.close()
    throw failure
  }
}

/** The model as an extractor of facts. What it quotes of a masked text is held against the source itself. */
function extractorOf({ model, mask = (text) => text, logger }: WorkerOptions): FactExtractor | undefined {
  if (!model) return undefined
  const extractor = createModelExtractor(model, sha256)
  return {
    async extract(chunks, about, signal) {
      const masked = chunks.map((chunk) => ({ ...chunk, text: mask(chunk.text) }))
      try {
        return await extractor.extract(masked, about, signal)
      } catch (err) {
        if (!signal.aborted) logger.warn({ err, model: model.modelId }, 'rules stand in for the model')
        throw err
      }
    },
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
