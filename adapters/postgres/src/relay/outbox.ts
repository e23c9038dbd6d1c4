import type { SessionId } from '@parley/contracts'
import type { StreamedEvent } from '@parley/engine'
import { type Message, toRuns } from './messages.ts'

/** How much text may wait, in characters; more is let go, and readers take it from the store. */
const MOST_TEXT = 4_000_000
/** How many sessions may have something waiting; beyond that everybody is told to look for themselves. */
const MOST_SESSIONS = 10_000
/** About how much text goes at once. */
const AT_ONCE = 250_000

type Waiting =
  | { readonly kind: 'stored'; upTo: number }
  | { readonly kind: 'said'; readonly events: StreamedEvent[]; weight: number }

/** What waits to be sent: each session's in its order, with what belongs together put together. */
export function createOutbox() {
  let urgent: Message[] = []
  let asks = new Set<SessionId>()
  let sessions = new Map<SessionId, Waiting[]>()
  let text = 0

  const waitingOf = (sessionId: SessionId): Waiting[] => {
    const known = sessions.get(sessionId)
    if (known) return known
    if (sessions.size + asks.size >= MOST_SESSIONS) {
      sessions = new Map()
      asks = new Set()
      text = 0
      urgent.push({ kind: 'lost' })
    }
    const waiting: Waiting[] = []
    sessions.set(sessionId, waiting)
    return waiting
  }

  return {
    isEmpty: () => urgent.length === 0 && asks.size === 0 && sessions.size === 0,

    /** Goes before all that waits. */
    put: (message: Message) => void urgent.push(message),
    ask: (sessionId: SessionId) => void asks.add(sessionId),

    stored(sessionId: SessionId, upTo: number) {
      const waiting = waitingOf(sessionId)
      const last = waiting.at(-1)
      if (last?.kind === 'stored') last.upTo = Math.max(last.upTo, upTo)
      else waiting.push({ kind: 'stored', upTo })
    },

    said(sessionId: SessionId, events: readonly StreamedEvent[]) {
      const weight = events.reduce((sum, event) => sum + weightOf(event), 0)
      if (text + weight > MOST_TEXT) return
      text += weight
      const waiting = waitingOf(sessionId)
      const last = waiting.at(-1)
      if (last?.kind === 'said') {
        last.events.push(...events)
        last.weight += weight
      } else waiting.push({ kind: 'said', events: [...events], weight })
    },

    /** Takes out what goes next. */
    take(): readonly Message[] {
      const taken: Message[] = urgent
      urgent = []
      for (const sessionId of asks) taken.push({ kind: 'ask', sessionId })
      asks.clear()
      let weight = 0
      for (const [sessionId, waiting] of sessions) {
        if (weight > AT_ONCE) break
        sessions.delete(sessionId)
        for (const one of waiting) {
          if (one.kind === 'stored') taken.push({ kind: 'stored', sessionId, upTo: one.upTo })
          else {
            taken.push({ kind: 'said', sessionId, runs: toRuns(one.events) })
            weight += one.weight
          }
        }
      }
      text -= weight
      return taken
    },
  }
}

/** An event's own weight, beside its text. */
const EVENT = 60

const weightOf = (event: StreamedEvent) =>
  EVENT + (event.type === 'agent:token' ? event.token : event.text).length
