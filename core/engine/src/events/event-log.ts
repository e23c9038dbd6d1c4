import type { SessionEvent, SessionId } from '@parley/contracts'
import { type InFlight, type StreamedEvent, createInFlight } from './in-flight.ts'
import { weightOf } from './stored-event.ts'

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

type EventLog = ReturnType<typeof createEventLog>

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

/** Where a session's writer and its readers meet. Without a writer, it mirrors the one in another process. */
export interface Room {
  readonly log: EventLog
  readonly mirror: Mirror
  /** What the running step has said so far. */
  inFlight: InFlight
  writers: number
  /** Another process asked for the text of the turn that runs here. */
  isFollowed: boolean
  /** The number up to which everything was told here; undefined while that is not known. */
  toldUpTo: number | undefined
}

/** What other processes tell of a session. */
interface Mirror {
  /** What came and is not taken in yet. */
  inbox: Told[]
  inboxWeight: number
  isTakingIn: boolean
  /** Text was asked for, and nothing has come since. */
  isAsking: boolean
  /** Something came while a writer was here. */
  hasMissed: boolean
  /** The turn that was told of last has not been told to end. */
  isRunning: boolean
}

export type Told =
  | { readonly kind: 'stored'; readonly upTo: number }
  | { readonly kind: 'said'; readonly events: readonly StreamedEvent[] }
  | { readonly kind: 'lost' }

export type Rooms = ReturnType<typeof createRooms>

/** A room is there while somebody is in it. */
export function createRooms(limits: LogLimits) {
  const rooms = new Map<SessionId, Room>()
  return {
    enter(sessionId: SessionId): Room {
      const room = rooms.get(sessionId) ?? newRoom(limits)
      rooms.set(sessionId, room)
      return room
    },
    leave(sessionId: SessionId, room: Room) {
      const isEmpty = room.writers === 0 && !room.log.hasReaders()
      if (isEmpty && rooms.get(sessionId) === room) rooms.delete(sessionId)
    },
    find: (sessionId: SessionId) => rooms.get(sessionId),
    ids: () => rooms.keys(),
  }
}

const newRoom = (limits: LogLimits): Room => ({
  log: createEventLog(limits),
  mirror: {
    inbox: [],
    inboxWeight: 0,
    isTakingIn: false,
    isAsking: false,
    hasMissed: false,
    isRunning: false,
  },
  inFlight: createInFlight(),
  writers: 0,
  isFollowed: false,
  toldUpTo: undefined,
})
