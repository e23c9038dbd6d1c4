import { PlatformError } from '@parley/contracts'
import { migrate } from '@parley/postgres'
import { startWorkerProcess } from '@parley/worker'
import { readConfig } from '../config.ts'
import { openLearningSettings } from '../config/learning-settings.ts'
import { EXIT } from '../exit-code.ts'
import { createLogger } from '../log/create-logger.ts'
import { tell } from '../render/tell.ts'
import { stopSignal } from '../up/stop-signal.ts'
import type { RunCommand } from './command.ts'

/** One worker of many, on a Postgres that is there; its log goes to standard output. */
export const serveWorker: RunCommand = async ({ io }) => {
  const config = readConfig(io.environment)
  const { databaseUrl } = config
  if (databaseUrl === undefined) {
    throw new PlatformError('config_invalid', {
      message: 'DATABASE_URL is not set.',
      mend: 'Set it to the Postgres that all processes share; `parley up` brings its own.',
    })
  }
  const { model, embedder, mask, close } = await openLearningSettings(config, (notice) =>
    tell(io.stderr, `parley: ${notice}`),
  )
  const stop = stopSignal()
  await migrate({ databaseUrl })
  const logger = createLogger('stdout', mask)
  const worker = await startWorkerProcess({
    databaseUrl,
    logger,
    ...(model && { model }),
    ...(embedder && { embedder }),
    ...(mask && { mask }),
  })
  logger.info('ready')
  await stop.asked
  await worker.stop()
  close()
  return EXIT.done
}
