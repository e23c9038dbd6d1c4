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
  const everything = to === 'stdout' ? openStream(1, 'on standard output') : openLogFile(to.file)
  const streams: { level: Level; stream: DestinationStream }[] = [{ level: 'info', stream: everything }]
  if (to !== 'stdout') streams.push({ level: 'error', stream: createErrorSummary() })
  const options = {
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    hooks: { streamWrite: mask },
    // The usual serializer appends the message of each cause, which our own messages already contain.
    serializers: { err: pino.stdSerializers.errWithCause },
  }
  return pino(options, multistream(streams))
}

function openLogFile(file: string): DestinationStream {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    rotateLog(file)
    return openStream(file, file)
  } catch (failure) {
    printWarning(`The log ${file} cannot be opened (${String(failure)}): no log for this run`)
    return { write() {} }
  }
}

/** Buffer while the log cannot be written; more bytes are lost. */
const MAX_BUFFER = 1024 * 1024

function openStream(dest: string | number, place: string): DestinationStream {
  const stream = pino.destination({
    dest,
    mode: 0o600,
    // Synchronous, so that nothing is left to write at exit, which a full disk would block forever.
    sync: true,
    maxLength: MAX_BUFFER,
    retryEAGAIN: () => false,
  })
  let failing = false
  let lost = 0
  stream.on('error', (failure: NodeJS.ErrnoException) => {
    // The reader of a pipe is slow: the next line tries again.
    if (failing || failure.code === 'EAGAIN') return
    failing = true
    printWarning(`The log ${place} cannot be written (${failure.message}); Parley continues`)
  })
  stream.on('drop', () => (lost += 1))
  stream.on('drain', () => {
    if (failing) printWarning(`The log ${place} works again; ${lost} lines are missing`)
    failing = false
    lost = 0
  })
  return stream
}

const REPEAT_AFTER_MS = 60_000

/** Prints a one-line summary of each entry; the same one again only after a minute. */
function createErrorSummary(): DestinationStream {
  const printedAt = new Map<string, number>()
  return {
    write(line) {
      const { msg, err } = JSON.parse(line) as { msg?: string; err?: { message?: string } }
      const summary = [msg, err?.message].filter(Boolean).join(': ')
      const now = Date.now()
      for (const [text, at] of printedAt) if (now - at >= REPEAT_AFTER_MS) printedAt.delete(text)
      if (printedAt.has(summary)) return
      printedAt.set(summary, now)
      printWarning(summary)
    },
  }
}

function printWarning(message: string): void {
  process.stderr.write(`  ! ${message}\n`)
}

const MAX_BYTES = 10 * 1024 * 1024
const KEPT = 3

/** Rotates a large log to `.1`; older ones move up, and the oldest is deleted. */
function rotateLog(file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (size <= MAX_BYTES) return
  for (let number = KEPT - 1; number > 0; number -= 1) {
    if (existsSync(`${file}.${number}`)) renameSync(`${file}.${number}`, `${file}.${number + 1}`)
  }
  renameSync(file, `${file}.1`)
}
