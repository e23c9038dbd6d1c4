import { startWorkerProcess } from '@parley/worker'
import { pino } from 'pino'
import { readInput } from '../support/child-process.ts'

/** A worker in its own process. */
await startWorkerProcess({
  ...(readInput() as { readonly databaseUrl: string }),
  logger: pino({ level: 'silent' }),
})
process.stdout.write('ready\n')
