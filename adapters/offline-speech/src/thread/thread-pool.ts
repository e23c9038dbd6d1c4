import type { Worker } from 'node:worker_threads'
import { PlatformError } from '@parley/contracts'

/** Runs one job per thread at a time; further jobs wait in a bounded queue. */
export interface ThreadPool<Job, Result> {
  run(job: Job, signal: AbortSignal): Promise<Result>
  /** Unfinished jobs fail as cancelled. */
  close(): Promise<void>
}

export interface ThreadPoolOptions {
  /** Name of the work for error messages, such as `recognition`. */
  readonly work: string
  readonly threads: number
  readonly maxWaiting: number
  /** A job that takes longer ends its thread. */
  readonly maxMilliseconds: number
  /** Starts a thread that answers every message with one message. */
  readonly start: () => Worker
  readonly onError: (error: Error) => void
}

interface PoolTask<Job, Result> {
  readonly job: Job
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

interface PoolThread<Job, Result> {
  readonly worker: Worker
  task?: PoolTask<Job, Result> | undefined
  clock?: NodeJS.Timeout | undefined
}

export function createThreadPool<Job, Result>(options: ThreadPoolOptions): ThreadPool<Job, Result> {
  const { work, maxWaiting, maxMilliseconds, onError } = options
  const threads = new Set<PoolThread<Job, Result>>()
  let waiting: PoolTask<Job, Result>[] = []
  let isClosed = false

  /** Starts a new thread only if no thread is idle. */
  const findIdleThread = () => {
    for (const thread of threads) if (!thread.task) return thread
    return threads.size < options.threads ? startThread() : undefined
  }

  const startWaiting = () => {
    while (waiting.length > 0) {
      const thread = findIdleThread()
      const task = thread && waiting.shift()
      if (!task) return
      thread.task = task
      thread.clock = setTimeout(() => removeThread(thread, new Error('It took too long.')), maxMilliseconds)
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      thread.worker.postMessage(task.job)
    }
  }

  const startThread = () => {
    const thread: PoolThread<Job, Result> = { worker: options.start() }
    threads.add(thread)
    thread.worker.on('message', (result: Result) => {
      clearTimeout(thread.clock)
      thread.task?.resolve(result)
      thread.task = undefined
      startWaiting()
    })
    thread.worker.on('error', (error: Error) => removeThread(thread, error))
    thread.worker.on('exit', (code) => removeThread(thread, new Error(`It ended with code ${code}.`)))
    return thread
  }

  const removeThread = (thread: PoolThread<Job, Result>, cause: Error) => {
    if (!threads.delete(thread)) return
    clearTimeout(thread.clock)
    void thread.worker.terminate()
    const error = new PlatformError(
      'provider_unavailable',
      {
        work,
        message: `The speech ${work} thread stopped: ${cause.message} Try again; a new one will start.`,
      },
      { cause },
    )
    thread.task?.reject(error)
    onError(error)
    startWaiting()
  }

  return {
    async run(job, signal) {
      signal.throwIfAborted()
      if (isClosed) throw createClosedError(work)
      if (waiting.length >= maxWaiting) throw createBusyError(work, maxWaiting)
      const { promise, resolve, reject } = Promise.withResolvers<Result>()
      const task = { job, resolve, reject }
      const abort = () => {
        waiting = waiting.filter((other) => other !== task)
        reject(signal.reason)
      }
      signal.addEventListener('abort', abort, { once: true })
      waiting.push(task)
      startWaiting()
      try {
        return await promise
      } finally {
        signal.removeEventListener('abort', abort)
      }
    },
    async close() {
      isClosed = true
      const ended = [...threads]
      threads.clear()
      for (const { reject } of [...waiting, ...ended.flatMap(({ task }) => task ?? [])])
        reject(createClosedError(work))
      waiting = []
      for (const { clock } of ended) clearTimeout(clock)
      await Promise.all(ended.map(({ worker }) => worker.terminate()))
    },
  }
}

const createClosedError = (work: string) =>
  new PlatformError('cancelled', { work, message: `Speech ${work} is closed.` })

const createBusyError = (work: string, maxWaiting: number) =>
  new PlatformError('provider_rate_limit', {
    work,
    maxWaiting,
    message: `Speech ${work} is busy: ${maxWaiting} requests are waiting. Try again in a moment.`,
  })
