import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { createLogger } from '../log/create-logger.ts'
import { z } from 'zod'

type Logger = ReturnType<typeof createLogger>
type OnReady = (told: unknown) => void

/**
 * Puts what a child logs and says into this log, and tells when it says that it is ready. Returns what tells the last
 * thing that it said to people.
 */
export function followOutput(
  { stdout, stderr }: ChildProcess,
  logger: Logger,
  onReady: OnReady,
): () => string | undefined {
  let said: string | undefined
  if (stdout) createInterface({ input: stdout }).on('line', (line) => passOn(line, logger, onReady))
  if (stderr) {
    createInterface({ input: stderr }).on('line', (line) => {
      logger.warn(line)
      said = /^parley: (.+)/.exec(line)?.[1] ?? said
    })
  }
  return () => said
}

const LEVELS: Readonly<Record<number, 'info' | 'warn' | 'error' | 'fatal'>> = {
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
}
const READY = 'ready'
const Line = z.looseObject({ level: z.int(), time: z.string(), msg: z.string().optional() })

function passOn(text: string, logger: Logger, onReady: OnReady): void {
  const line = Line.safeParse(jsonIn(text))
  if (line.success) {
    const { level, time: _, msg, ...rest } = line.data
    logger[LEVELS[level] ?? 'info'](rest, msg)
    if (msg === READY) onReady(rest)
    return
  }
  const told = jsonIn(/^ready (\{.*\})$/.exec(text)?.[1])
  if (told === undefined) {
    logger.warn(text)
    return
  }
  logger.info(told, READY)
  onReady(told)
}

function jsonIn(text = ''): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
