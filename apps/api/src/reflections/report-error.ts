import { PlatformError } from '@parley/contracts'
import type { ErrorReporter } from '@parley/reflections'
import type { Logger } from 'pino'

export interface ReportHost {
  readonly logger: Logger
  /** Takes out of a text what must not be shown. */
  readonly mask: (text: string) => string
  /** Where failures are sent to; without it they are in the log alone. */
  readonly dsn?: string | undefined
}

export interface ErrorReports extends ErrorReporter {
  /** Sends what is still to be sent. */
  close(): Promise<void>
}

/** Tells of failures that a caller alone would see otherwise. Sentry's library is loaded only where it is wanted. */
export function errorReports({ logger, mask, dsn }: ReportHost): ErrorReports {
  const tellLog = (failure: unknown) =>
    logger.warn({ reason: mask(String(failure)) }, 'an error was not reported')
  const sending = dsn === undefined ? undefined : openSentry(dsn)
  sending?.catch(tellLog)
  return {
    capture(failure, { sessionId, code }) {
      const message = mask(failure instanceof Error ? failure.message : String(failure))
      logger.warn({ sessionId, code, reason: message }, 'a session did not start')
      if (!sending) return
      sending
        .then((client) => client.captureEvent(eventOf(failure, message, mask, { sessionId, code })))
        .catch(tellLog)
    },

    async close() {
      await sending?.then((client) => client.close(CLOSE_MS)).catch(tellLog)
    },
  }
}

const CLOSE_MS = 2_000

/** A client of its own: nothing of the process is hooked into, and nothing is sent but what we hand over. */
async function openSentry(dsn: string) {
  const { defaultStackParser, makeNodeTransport, NodeClient } = await import('@sentry/node')
  const client = new NodeClient({
    dsn,
    transport: makeNodeTransport,
    stackParser: defaultStackParser,
    integrations: [],
    sendDefaultPii: false,
    serverName: 'parley',
  })
  client.init()
  return client
}

function eventOf(
  failure: unknown,
  message: string,
  mask: (text: string) => string,
  tags: { readonly sessionId: string; readonly code: string },
) {
  const isOurs = failure instanceof PlatformError
  const stack = failure instanceof Error ? mask(failure.stack ?? '') : ''
  return {
    level: isOurs ? ('warning' as const) : ('error' as const),
    exception: { values: [{ type: isOurs ? tags.code : 'Error', value: message }] },
    tags: { ...tags },
    extra: { stack },
  }
}
