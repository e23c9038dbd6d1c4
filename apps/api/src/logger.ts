import { type DestinationStream, type Logger, pino } from 'pino'

/** Structured lines. No header, body or query is ever logged, so no token and nothing that was said. */
export const createLogger = (destination: DestinationStream): Logger =>
  pino(
    { base: null, timestamp: pino.stdTimeFunctions.isoTime, redact: ['*.password', '*.token', 'err.config'] },
    destination,
  )
