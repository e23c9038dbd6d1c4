import { PlatformError } from '@parley/contracts'
import type { ErrorReporter } from '@parley/reflections'
import type { Logger } from 'pino'

export interface ErrorReportsHost {
  readonly logger: Logger
  /** Removes secrets from a text. */
  readonly mask: (text: string) => string
  /** Sentry's address; without it failures are only logged. */
  readonly dsn?: string | undefined
}

export interface ErrorReports extends ErrorReporter {
  /** Sends all pending reports. */
  close(): Promise<void>
}

/** Reports failures that only the caller would see. Sentry's library is loaded only with a DSN. */
export function createErrorReports({ logger, mask, dsn }: ErrorReportsHost): ErrorReports {
  const logFailure = (failure: unknown) =>
    logger.warn({ reason: mask(String(failure)) }, 'an error was not reported')
  const sending = dsn === undefined ? undefined : openSentry(dsn)
  sending?.catch(logFailure)
  return {
    capture(failure, { sessionId, code }) {
      const message = mask(failure instanceof Error ? failure.message : String(failure))
      logger.warn({ sessionId, code, reason: message }, 'a session did not start')
      if (!sending) return
      sending
        .then((client) => client.captureEvent(toSentryEvent(failure, message, mask, { sessionId, code })))
        .catch(logFailure)
    },

    async close() {
      await sending?.then((client) => client.close(CLOSE_MS)).catch(logFailure)
    },
  }
}

const CLOSE_MS = 2_000

/** A separate client without hooks into the process: it sends only the captured failures. */
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

function toSentryEvent(
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
