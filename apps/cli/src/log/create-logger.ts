import { existsSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { type DestinationStream, type Level, type Logger, multistream, pino } from 'pino'

/**
 * Structured log lines to a file or standard output; errors also to standard error. A log that cannot be
 * written is reported once and stops nothing.
 */
export function createLogger(
  to: { file: string } | 'stdout',
  mask: (text: string) => string = (text) => text,
): Logger {
  const everything = to === 'stdout' ? unfailing(1, 'on standard output') : logFile(to.file)
  const streams: { level: Level; stream: DestinationStream }[] = [{ level: 'info', stream: everything }]
  if (to !== 'stdout') streams.push({ level: 'error', stream: { write: tellOfLine } })
  const hooks = { streamWrite: mask }
  return pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime, hooks }, multistream(streams))
}

function logFile(file: string): DestinationStream {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    rotateLog(file)
    return unfailing(file, file)
  } catch (failure) {
    tell(`The log ${file} cannot be opened (${String(failure)}): no log for this run`)
    return { write() {} }
  }
}

/** Buffer while the log cannot be written; more bytes are lost. */
const MOST_WAITING = 1024 * 1024

function unfailing(dest: string | number, place: string): DestinationStream {
  const stream = pino.destination({
    dest,
    mode: 0o600,
    // Synchronous, so that nothing is left to write at exit, which a full disk would block forever.
    sync: true,
    maxLength: MOST_WAITING,
    retryEAGAIN: () => false,
  })
  let failing = false
  let lost = 0
  stream.on('error', (failure: NodeJS.ErrnoException) => {
    // The reader of a pipe is slow: the next line tries again.
    if (failing || failure.code === 'EAGAIN') return
    failing = true
    tell(`The log ${place} cannot be written (${failure.message}); Parley continues`)
  })
  stream.on('drop', () => (lost += 1))
  stream.on('drain', () => {
    if (failing) tell(`The log ${place} works again; ${lost} lines are missing`)
    failing = false
    lost = 0
  })
  return stream
}

/** A one-line summary of a log entry. */
function tellOfLine(line: string): void {
  const { msg, err } = JSON.parse(line) as { msg?: string; err?: { message?: string } }
  tell([msg, err?.message].filter(Boolean).join(': '))
}

function tell(what: string): void {
  process.stderr.write(`  ! ${what}\n`)
}

const LARGEST_BYTES = 10 * 1024 * 1024
const KEPT = 3

/** Rotates a large log to `.1`; older ones move up, and the oldest is deleted. */
function rotateLog(file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (size <= LARGEST_BYTES) return
  for (let number = KEPT - 1; number > 0; number -= 1) {
    if (existsSync(`${file}.${number}`)) renameSync(`${file}.${number}`, `${file}.${number + 1}`)
  }
  renameSync(file, `${file}.1`)
}
