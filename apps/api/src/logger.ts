import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { type DestinationStream, type Level, type Logger, multistream, pino } from 'pino'

/** Structured lines: all to a file or to standard output, and what went wrong to standard error as well. */
export function createLogger(to: { file: string } | 'stdout'): Logger {
  if (to !== 'stdout') mkdirSync(dirname(to.file), { recursive: true, mode: 0o700 })
  const everything = pino.destination(to === 'stdout' ? 1 : { dest: to.file, mode: 0o600 })
  const streams: { level: Level; stream: DestinationStream }[] = [{ level: 'info', stream: everything }]
  if (to !== 'stdout') streams.push({ level: 'error', stream: { write: tellPerson } })
  return pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, multistream(streams))
}

/** One line of what the log holds in full. */
function tellPerson(line: string): void {
  const { msg, err } = JSON.parse(line) as { msg?: string; err?: { message?: string } }
  process.stderr.write(`  ! ${[msg, err?.message].filter(Boolean).join(': ')}\n`)
}
