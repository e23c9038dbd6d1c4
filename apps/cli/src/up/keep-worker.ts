import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { createLogger } from '@parley/api'
import type { Io } from '../io.ts'
import { passLogOn } from './pass-log-on.ts'

interface WorkerHost {
  readonly databaseUrl: string
  readonly environment: Io['environment']
  readonly logger: ReturnType<typeof createLogger>
  readonly say: (line: string) => void
}

export interface KeptWorker {
  readonly pid: number | undefined
  /** Lets it put down what it does, and ends it by force if that takes too long. */
  stop(): Promise<void>
}

const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 30_000
/** What lived so long did not fail at its start. */
const STEADY_MS = 30_000
const STOP_MS = 10_000

/**
 * Runs the worker as a process of its own, so that learning takes no time from answers, and starts it again whenever
 * it has ended. The channel between the two tells it when this process is gone.
 */
export function keepWorker({ databaseUrl, environment, logger, say }: WorkerHost): KeptWorker {
  let isStopping = false
  let waitMs = FIRST_WAIT_MS
  let timer: NodeJS.Timeout | undefined

  const start = (): ChildProcess => {
    const began = performance.now()
    const started = fork(process.argv[1] ?? '', ['serve', 'worker'], {
      env: { ...environment, DATABASE_URL: databaseUrl },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // Ctrl-C at the terminal is for this process, which ends the others in their order.
      detached: true,
    })
    const lastSaid = passLogOn(started, logger)
    const onEnd = (how: string) => {
      if (isStopping || timer) return
      if (performance.now() - began > STEADY_MS) waitMs = FIRST_WAIT_MS
      const why = lastSaid() ?? how
      say(`  ! the worker has ended (${why}); starting it again in ${waitMs / 1000} s`)
      logger.warn({ why, waitMs }, 'the worker has ended')
      timer = setTimeout(() => {
        timer = undefined
        child = start()
        say(`  ✓ worker    is back, as process ${child.pid}`)
      }, waitMs)
      waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)
    }
    started.once('error', (failure) => onEnd(failure.message))
    started.once('close', (code, signal) => onEnd(signal ?? `exit code ${code}`))
    return started
  }

  let child = start()
  return {
    pid: child.pid,
    async stop() {
      isStopping = true
      clearTimeout(timer)
      await end(child)
    },
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await Promise.race([ended, pause(STOP_MS, undefined, { ref: false })])
  child.kill('SIGKILL')
  await ended
}
