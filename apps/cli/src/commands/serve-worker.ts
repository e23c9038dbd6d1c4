import { PlatformError } from '@parley/contracts'
import { readConfig } from '../config.ts'
import { EXIT } from '../exit-code.ts'
import { createLogger } from '../log/create-logger.ts'
import { tell } from '../render/tell.ts'
import { startWorker } from '../up/start-worker.ts'
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
  const stop = stopSignal()
  const worker = await startWorker(config, {
    databaseUrl,
    createLogger: (mask) => createLogger('stdout', mask),
    onNotice: (notice) => tell(io.stderr, `parley: ${notice}`),
  })
  worker.logger.info('ready')
  await stop.asked
  await worker.stop()
  return EXIT.done
}
