import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { PlatformError } from '@parley/contracts'
import { EXIT } from '../exit-code.ts'
import type { Io } from '../io.ts'
import type { createLogger } from '../log/create-logger.ts'

const LABELS = { worker: 'worker', voice: 'voice provider' } as const

export interface ChildHost {
  readonly name: keyof typeof LABELS
  /** Called at every start. */
  readonly variables: () => Io['variables']
  readonly logger: ReturnType<typeof createLogger>
  readonly say: (line: string) => void
}

export interface KeptChild {
  readonly pid: number | undefined
  /** Its report once it serves. Rejects if it ends before. */
  readonly ready: Promise<unknown>
  /** Stops it gracefully, and kills it if that takes too long. */
  stop(): Promise<void>
}

const FIRST_WAIT_MS = 250
const MAX_WAIT_MS = 30_000
/** A process that ran this long started well. */
const STEADY_MS = 30_000
const STOP_MS = 10_000

/**
 * Runs a part of Parley as a child process and restarts it whenever it ends. The IPC channel tells the child
 * when this process is gone.
 */
export function keepChild({ name, variables, logger, say }: ChildHost): KeptChild {
  const ready = Promise.withResolvers<unknown>()
  // It may fail before anyone awaits it.
  ready.promise.catch(() => undefined)
  let state: 'starting' | 'running' | 'stopping' = 'starting'
  let waitMs = FIRST_WAIT_MS
  let timer: NodeJS.Timeout | undefined

  const start = (): ChildProcess => {
    const startedAt = performance.now()
    const started = fork(process.argv[1] ?? '', ['serve', name], {
      env: variables(),
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // Ctrl-C goes to this process only, which stops the others in order.
      detached: true,
    })
    const lastMessage = followOutput(started, logger.child({ process: name }), (report) => {
      if (state === 'starting') state = 'running'
      ready.resolve(report)
    })
    const onEnd = (status: string) => {
      if (state === 'stopping' || timer) return
      const reason = lastMessage() ?? status
      logger.warn({ why: reason, waitMs }, `the ${LABELS[name]} stopped`)
      if (state === 'starting') {
        ready.reject(createFailedStartError(name, reason, started.exitCode))
        return
      }
      if (performance.now() - startedAt > STEADY_MS) waitMs = FIRST_WAIT_MS
      say(`  ! the ${LABELS[name]} stopped (${reason}); restarting in ${waitMs / 1000} s`)
      timer = setTimeout(() => {
        timer = undefined
        child = start()
        say(`  ✓ ${name.padEnd(9)} is back, as process ${child.pid}`)
      }, waitMs)
      waitMs = Math.min(waitMs * 2, MAX_WAIT_MS)
    }
    started.once('error', (failure) => onEnd(failure.message))
    started.once('close', (code, signal) => onEnd(signal ?? `exit code ${code}`))
    return started
  }

  let child = start()
  return {
    pid: child.pid,
    ready: ready.promise,
    async stop() {
      state = 'stopping'
      clearTimeout(timer)
      await stopChild(child)
    },
  }
}

function createFailedStartError(
  name: ChildHost['name'],
  reason: string,
  exitCode: number | null,
): PlatformError {
  return new PlatformError(exitCode === EXIT.badInput ? 'config_invalid' : 'internal', {
    message: `The ${LABELS[name]} did not start: ${reason}`,
    fix: 'See logs/parley.log in the data folder.',
  })
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await Promise.race([ended, pause(STOP_MS, undefined, { ref: false })])
  child.kill('SIGKILL')
  await ended
}

type Logger = ReturnType<typeof createLogger>
type OnReady = (report: unknown) => void

/**
 * Copies the output of a child into this log and reports when it is ready. Returns a getter for its last
 * message to people.
 */
function followOutput(
  { stdout, stderr }: ChildProcess,
  logger: Logger,
  onReady: OnReady,
): () => string | undefined {
  let message: string | undefined
  if (stdout) createInterface({ input: stdout }).on('line', (line) => forwardLine(line, logger, onReady))
  if (stderr) {
    createInterface({ input: stderr }).on('line', (line) => {
      logger.warn(line)
      message = /^parley: (.+)/.exec(line)?.[1] ?? message
    })
  }
  return () => message
}

const LEVELS: Readonly<Record<number, 'info' | 'warn' | 'error' | 'fatal'>> = {
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
}
const READY = 'ready'
const LogLine = z.looseObject({ level: z.int(), time: z.string(), msg: z.string().optional() })

function forwardLine(text: string, logger: Logger, onReady: OnReady): void {
  const line = LogLine.safeParse(parseJson(text))
  if (line.success) {
    const { level, time: _, msg, ...rest } = line.data
    logger[LEVELS[level] ?? 'info'](rest, msg)
    if (msg === READY) onReady(rest)
    return
  }
  const report = parseJson(/^ready (\{.*\})$/.exec(text)?.[1])
  if (report === undefined) {
    logger.warn(text)
    return
  }
  logger.info(report, READY)
  onReady(report)
}

function parseJson(text = ''): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export interface KeptVoice {
  /** Its address, which stays the same after restarts. */
  readonly url: Promise<string>
  stop(): Promise<void>
}

const VoiceReady = z.object({ voiceUrl: z.string() })

/** Runs the local voice provider as a child process: speech needs a core and much memory. */
export function keepVoice(host: Omit<ChildHost, 'name'>, wantedPort: number): KeptVoice {
  let port = String(wantedPort)
  const variables = () => ({ ...host.variables(), PARLEY_VOICE_PORT: port })
  const child = keepChild({ ...host, name: 'voice', variables })
  const url = child.ready.then((report) => {
    const { voiceUrl } = VoiceReady.parse(report)
    port = new URL(voiceUrl).port
    return voiceUrl
  })
  url.catch(() => undefined)
  return { url, stop: () => child.stop() }
}

/** Without a parent, nobody else could kill it. */
const EXIT_AFTER_PARENT_MS = 15_000

/**
 * Resolves on a stop signal, or when the parent process is gone. Further signals change nothing: started parts
 * must be stopped first.
 */
export function listenForStop(): { readonly requested: Promise<void>; readonly isRequested: () => boolean } {
  const { promise, resolve } = Promise.withResolvers<void>()
  let isRequested = false
  const stop = () => {
    isRequested = true
    resolve()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
  if (process.send !== undefined) onParentExit(stop)
  return { requested: promise, isRequested: () => isRequested }
}

function onParentExit(stop: () => void): void {
  const leave = () => {
    setTimeout(() => process.exit(EXIT.failed), EXIT_AFTER_PARENT_MS).unref()
    stop()
  }
  // The parent may already be gone.
  if (!process.connected) {
    leave()
    return
  }
  process.once('disconnect', leave)
  // Listening must not keep the process alive.
  process.channel?.unref()
}
