import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Level, type Logger, multistream, pino } from 'pino'

/** Structured lines: all to a file or to standard output, and what went wrong to standard error as well. */
export function createLogger(to: { file: string } | 'stdout'): Logger {
  if (to !== 'stdout') mkdirSync(dirname(to.file), { recursive: true, mode: 0o700 })
  const everything = pino.destination(to === 'stdout' ? 1 : { dest: to.file, mode: 0o600 })
  const errors = pino.destination(2)
  const streams: { level: Level; stream: typeof errors }[] = [{ level: 'info', stream: everything }]
  if (to !== 'stdout') streams.push({ level: 'error', stream: errors })
  return pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, multistream(streams))
}
