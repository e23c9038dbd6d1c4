import { writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { startApi } from '@parley/api'
import { startWorkerProcess } from '@parley/worker'
import { pino } from 'pino'
import { scriptedModel } from './script-of.ts'

export interface ServingGiven {
  readonly kind: 'api' | 'worker'
  readonly databaseUrl: string
  readonly home: string
  readonly ownerToken: string
}

/** The first line of its output is its address, or nothing; each other line names a step that a model was asked for. */
const { kind, ...given } = JSON.parse(process.env['GIVEN'] ?? '') as ServingGiven
const say = (line: string) => void writeSync(1, `${line}\n`)
const logger = pino(pino.destination({ dest: `${given.home}/${kind}-${process.pid}.log`, sync: true }))

if (kind === 'worker') {
  await startWorkerProcess({ ...given, logger })
  say('')
} else {
  const onAsked = (question: string, step: number) => say(`${question} step ${step}`)
  const model = scriptedModel({ pauseMs: 150, onAsked })
  const limits = { maxTurns: 1_000_000 }
  const { url } = await startApi({ ...given, port: 0, logger, limits, modelOf: () => model })
  say(url)
}
// Else Node keeps what it compiled only when a process ends by itself, and each would compile all of it again.
flushCompileCache()
