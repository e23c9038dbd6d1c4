import { startWorkerProcess } from '@parley/worker'
import { pino } from 'pino'

/** A worker as a process of its own, to be killed. */
await startWorkerProcess({
  databaseUrl: process.env['GIVEN'] ?? '',
  logger: pino({ level: 'silent' }),
})
process.stdout.write('learning\n')
