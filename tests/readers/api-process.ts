import { randomInt } from 'node:crypto'
import { writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { setTimeout as pause } from 'node:timers/promises'
import { startApi } from '@parley/api'
import type { CallId } from '@parley/contracts'
import type { ModelPort } from '@parley/engine'
import { pino } from 'pino'

/** What an API process of the trial is given. */
export interface ApiGiven {
  readonly databaseUrl: string
  readonly home: string
  readonly ownerToken: string
  readonly steps: number
  readonly words: number
}

/** One API process of several, with a model that takes its time. */
const { steps, words, ...given } = JSON.parse(process.env['GIVEN'] ?? '') as ApiGiven

const model: ModelPort = {
  provider: 'test',
  modelId: 'slow',
  async *stream({ messages }, signal) {
    const at = messages.findLastIndex(({ role }) => role === 'user')
    const step = messages.slice(at).filter(({ role }) => role === 'assistant').length
    yield { type: 'reasoning', text: `Step ${step}. ` }
    for (let word = 0; word < words && !signal.aborted; word += 1) {
      if (randomInt(3) === 0) await pause(randomInt(4))
      yield { type: 'text', text: `${step}.${word} ` }
    }
    if (step < steps) {
      const id = `call-${at}-${step}` as CallId
      yield { type: 'tool_call', call: { id, name: 'look', input: { step } } }
    }
    yield { type: 'finish', reason: 'completed', usage: { inputTokens: 1, outputTokens: words } }
  },
}

const logger = pino(pino.destination({ dest: `${given.home}/${process.pid}.log`, sync: true }))
const { url } = await startApi({ ...given, port: 0, logger, modelOf: () => model })
writeSync(1, `${url}\n`)
// Else Node keeps what it compiled only when a process ends by itself, and each would compile all of it again.
flushCompileCache()
