import type { ServerEvent } from './server-event.ts'

/** Asks the client now and then whether it is there, and measures how long its answer takes. */
export interface Pings {
  start(): void
  /** The client answered a ping of the protocol. */
  answered(eventId: number): void
  /** The client's socket answered, or anything else came of it. */
  readonly signOfLife: () => void
  close(): void
}

interface PingsHost {
  readonly now: () => number
  readonly nextEventId: () => number
  readonly send: (event: ServerEvent) => void
  readonly probe: () => void
  readonly onLost: () => void
}

const EVERY_MS = 5_000
/** Pings without any sign of life after which the client is taken for lost. */
const MOST_UNANSWERED = 6

export function createPings({ now, nextEventId, send, probe, onLost }: PingsHost): Pings {
  let sent: { readonly eventId: number; readonly at: number } | undefined
  let delayMs: number | null = null
  let unanswered = 0
  let timer: NodeJS.Timeout | undefined

  const ping = () => {
    if (unanswered >= MOST_UNANSWERED) return onLost()
    unanswered += 1
    sent = { eventId: nextEventId(), at: now() }
    send({ type: 'ping', ping_event: { event_id: sent.eventId, ping_ms: delayMs } })
    probe()
  }

  return {
    start() {
      ping()
      timer = setInterval(ping, EVERY_MS)
    },
    answered(eventId) {
      if (sent?.eventId === eventId) delayMs = Math.max(0, now() - sent.at)
    },
    signOfLife() {
      unanswered = 0
    },
    close: () => clearInterval(timer),
  }
}
