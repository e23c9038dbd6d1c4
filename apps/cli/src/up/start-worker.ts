import { migrate } from '@parley/postgres'
import { startWorkerProcess } from '@parley/worker'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { openLearningSettings } from '../config/learning-settings.ts'

export interface PartHost {
  readonly databaseUrl: string
  readonly createLogger: (mask?: (text: string) => string) => Logger
  readonly onNotice: (notice: string) => void
}

/** The worker, with the models of the person's config. */
export async function startWorker(config: Config, { databaseUrl, createLogger, onNotice }: PartHost) {
  const { model, embedder, mask, close } = await openLearningSettings(config, onNotice)
  await migrate({ databaseUrl })
  const logger = createLogger(mask)
  const worker = await startWorkerProcess({
    databaseUrl,
    logger,
    ...(model && { model }),
    ...(embedder && { embedder }),
    ...(mask && { mask }),
  })
  return {
    logger,
    async stop() {
      await worker.stop()
      close()
    },
  }
}
