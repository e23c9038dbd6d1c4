import { createHash } from 'node:crypto'
import type { ModelPort } from '@parley/engine'
import { createModelExtractor } from '@parley/knowledge'
import { openLearning, startWorker } from '@parley/postgres'
import type { Logger } from 'pino'
import { createHandlers } from './handlers.ts'

export interface WorkerOptions {
  readonly databaseUrl: string
  readonly logger: Logger
  /** Who finds facts in sources, which are then sent to it; by rules alone where absent. */
  readonly model?: ModelPort
}

export interface RunningWorker {
  /** Takes no more jobs, and puts down those that run: the next worker goes on with them. */
  stop(): Promise<void>
}

/** What learns in the background, on a database that is there and migrated. */
export async function startWorkerProcess({
  databaseUrl,
  logger,
  model,
}: WorkerOptions): Promise<RunningWorker> {
  const onError = (err: unknown) => logger.error({ err }, 'worker')
  const stores = openLearning({ databaseUrl, onError })
  try {
    const extractFacts = model && createModelExtractor(model, sha256)
    const handlers = createHandlers({ ...stores, logger, ...(extractFacts && { extractFacts }) })
    const worker = await startWorker({ databaseUrl, handlers, onError })
    return {
      async stop() {
        await worker.stop()
        await stores.close()
      },
    }
  } catch (failure) {
    await stores.close()
    throw failure
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
