import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { createLogger } from '@parley/api'
import { z } from 'zod'

type Logger = ReturnType<typeof createLogger>

/** Puts what the worker logs and says into this log. Returns what tells the last thing that it said to people. */
export function passLogOn({ stdout, stderr }: ChildProcess, logger: Logger): () => string | undefined {
  const own = logger.child({ process: 'worker' })
  let said: string | undefined
  if (stdout) createInterface({ input: stdout }).on('line', (line) => passOn(line, own))
  if (stderr) {
    createInterface({ input: stderr }).on('line', (line) => {
      own.warn(line)
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
const Line = z.looseObject({ level: z.int(), time: z.string(), msg: z.string().optional() })

function passOn(text: string, logger: Logger): void {
  const line = Line.safeParse(jsonIn(text))
  if (!line.success) {
    logger.warn(text)
    return
  }
  const { level, time: _, msg, ...rest } = line.data
  logger[LEVELS[level] ?? 'info'](rest, msg)
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
