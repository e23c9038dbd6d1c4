import { Worker } from 'node:worker_threads'

export type Match = 'match' | 'no-match' | 'no-pattern' | 'too-slow'

/** How long a pattern may look for a match. */
const MOST_MS = 1_000

/** Tries a pattern in a thread of its own: one that backtracks without end would hold up every call. */
export async function matchInTime(pattern: string, text: string, signal: AbortSignal): Promise<Match> {
  if (!isPattern(pattern)) return 'no-pattern'
  if (signal.aborted) return 'too-slow'
  const worker = new Worker(MATCHING, { eval: true, env: {}, workerData: { pattern, text } })
  const given = Promise.withResolvers<Match>()
  const giveUp = () => given.resolve('too-slow')
  let deadline: NodeJS.Timeout | undefined
  worker.once('online', () => (deadline = setTimeout(giveUp, MOST_MS)))
  worker.once('message', (isMatch: boolean) => given.resolve(isMatch ? 'match' : 'no-match'))
  worker.once('error', given.reject)
  signal.addEventListener('abort', giveUp)
  try {
    return await given.promise
  } finally {
    clearTimeout(deadline)
    signal.removeEventListener('abort', giveUp)
    await worker.terminate()
  }
}

const MATCHING = `
  const { parentPort, workerData } = require('node:worker_threads')
  parentPort.postMessage(new RegExp(workerData.pattern, 'u').test(workerData.text))
`

function isPattern(text: string): boolean {
  try {
    return Boolean(new RegExp(text, 'u'))
  } catch {
    return false
  }
}
