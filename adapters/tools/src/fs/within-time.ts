import { createContext, Script } from 'node:vm'
import { errorCodeOf } from './error-code-of.ts'

const box: { work?: () => void } = {}
const context = createContext(box)
const script = new Script('work()')

const ATTEMPTS = 2

/**
 * Does work that patterns of others may make endless, and breaks it off after a while: even within a regular
 * expression, which nothing else in this thread could.
 */
export function withinTime<Result>(work: () => Result, milliseconds = 200): Result | 'too-long' {
  // On a busy machine the time may pass without the work: only what takes too long twice does so by itself.
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const result = attemptWithin(work, milliseconds)
    if (result !== 'too-long') return result
  }
  return 'too-long'
}

function attemptWithin<Result>(work: () => Result, milliseconds: number): Result | 'too-long' {
  let result: Result | 'too-long' = 'too-long'
  box.work = () => {
    result = work()
  }
  try {
    script.runInContext(context, { timeout: milliseconds })
  } catch (failure) {
    if (errorCodeOf(failure) === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return 'too-long'
    throw failure
  }
  return result
}
