import { writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { startApi } from '@parley/api'
import { startWorkerProcess } from '@parley/worker'
import { pino } from 'pino'
import { readInput } from '../support/child-process.ts'
import { createTrialModel } from './trial-model.ts'

export interface ServingProcessInput {
  readonly kind: 'api' | 'worker'
  readonly databaseUrl: string
  readonly home: string
  readonly ownerToken: string
}

/** Prints its address in the first line (empty for a worker), then a line for each step requested from the model. */
const { kind, ...options } = readInput() as ServingProcessInput
const print = (line: string) => void writeSync(1, `${line}\n`)
const logger = pino(pino.destination({ dest: `${options.home}/${kind}-${process.pid}.log`, sync: true }))

if (kind === 'worker') {
  await startWorkerProcess({ ...options, logger })
  print('')
} else {
  const onRequest = (question: string, step: number) => print(`${question} step ${step}`)
  const model = createTrialModel({ pauseMs: 150, onRequest })
  const limits = { maxTurns: 1_000_000 }
  const { url } = await startApi({ ...options, port: 0, logger, limits, getModel: () => model })
  print(url)
}
// Otherwise Node stores compiled code only on a normal exit, and every process compiles it again.
flushCompileCache()
