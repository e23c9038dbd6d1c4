import { randomInt } from 'node:crypto'
import { writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { setTimeout as pause } from 'node:timers/promises'
import { startApi } from '@parley/api'
import type { CallId } from '@parley/contracts'
import type { ModelPort } from '@parley/engine'
import { pino } from 'pino'
import { readInput } from '../support/child-process.ts'

export interface ApiProcessInput {
  readonly databaseUrl: string
  readonly home: string
  readonly ownerToken: string
  readonly steps: number
  readonly words: number
}

/** One of several API processes, with a slow model. */
const { steps, words, ...options } = readInput() as ApiProcessInput

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

const logger = pino(pino.destination({ dest: `${options.home}/${process.pid}.log`, sync: true }))
const { url } = await startApi({ ...options, port: 0, logger, getModel: () => model })
writeSync(1, `${url}\n`)
// Otherwise Node stores compiled code only on a normal exit, and every process compiles it again.
flushCompileCache()
