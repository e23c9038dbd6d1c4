import type { SessionEvent } from '@parley/contracts'
import { weightOf } from './event-weight.ts'

/** How far a reader may fall behind before it is taken back to the store: in events, and in bytes, roughly. */
export interface LogLimits {
  readonly events: number
  readonly bytes: number
}

export interface LogReader {
  /** Goes on from what comes next. */
  restart(): void
  /** The next event; `lagged` where it is held no more; `undefined` once the signal is aborted. */
  next(signal: AbortSignal): Promise<SessionEvent | 'lagged' | undefined>
  detach(): void
}

export type EventLog = ReturnType<typeof createEventLog>

/**
 * What a session's readers have still to take: held once for all of them, however many they are, and no longer than
 * the slowest needs it. A reader is a place in it.
 */
export function createEventLog({ events: mostEvents, bytes: mostBytes }: LogLimits) {
  let held: { readonly event: SessionEvent; readonly weight: number }[] = []
  let bytes = 0
  /** The place of the first event that is held; places are counted from the log's beginning. */
  let first = 0
  let readers = 0
  const waiting = new Set<() => void>()

  const end = () => first + held.length
  const forget = () => {
    first = end()
    held = []
    bytes = 0
  }
  const wakeAll = () => {
    if (waiting.size === 0) return
    const woken = [...waiting]
    waiting.clear()
    for (const wake of woken) wake()
  }
  /** Who waits has taken everything. */
  const forgetIfTaken = () => {
    if (waiting.size === readers) forget()
  }

  const wait = (signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const wake = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        waiting.delete(wake)
        wake()
      }
      waiting.add(wake)
      signal.addEventListener('abort', leave)
      forgetIfTaken()
    })

  return {
    hasReaders: () => readers > 0,

    push(event: SessionEvent) {
      if (readers === 0) return
      const weight = weightOf(event)
      held.push({ event, weight })
      bytes += weight
      while (held.length > 1 && (held.length > mostEvents || bytes > mostBytes)) {
        bytes -= held.shift()?.weight ?? 0
        first += 1
      }
      wakeAll()
    },

    /** Something was not told: every reader has to go back to the store. */
    skip() {
      forget()
      first += 1
      wakeAll()
    },

    attach(): LogReader {
      let place = end()
      readers += 1
      return {
        restart() {
          place = end()
        },
        async next(signal) {
          while (!signal.aborted) {
            if (place < first) return 'lagged'
            const taken = held[place - first]
            if (taken) {
              place += 1
              return taken.event
            }
            await wait(signal)
          }
          return undefined
        },
        detach() {
          readers -= 1
          forgetIfTaken()
        },
      }
    },
  }
}
