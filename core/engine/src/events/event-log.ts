import type { SessionEvent, SessionId } from '@parley/contracts'
import { type StepText, type StreamedEvent, createStepText } from './step-text.ts'
import { estimateEventWeight } from './estimate-weight.ts'

/** How far a reader may lag before it must reread from the store: in events and in approximate bytes. */
export interface LogLimits {
  readonly events: number
  readonly bytes: number
}

export interface LogReader {
  /** Drops untaken events: the next event is a new one. */
  catchUp(): void
  /** The next event; `lagged` if it was dropped; `undefined` once the signal is aborted. */
  next(signal: AbortSignal): Promise<SessionEvent | 'lagged' | undefined>
  detach(): void
}

type EventLog = ReturnType<typeof createEventLog>

/**
 * The events that a session's readers have not taken yet. They are kept once for all readers, until the slowest has
 * taken them. A reader is an offset into the log.
 */
export function createEventLog({ events: mostEvents, bytes: mostBytes }: LogLimits) {
  let entries: { readonly event: SessionEvent; readonly weight: number }[] = []
  let bytes = 0
  /** The offset of the first kept event; offsets count from the log's beginning. */
  let first = 0
  let readers = 0
  const waiting = new Set<() => void>()

  const end = () => first + entries.length
  const clear = () => {
    first = end()
    entries = []
    bytes = 0
  }
  const wakeAll = () => {
    if (waiting.size === 0) return
    const woken = [...waiting]
    waiting.clear()
    for (const wake of woken) wake()
  }
  /** A waiting reader has taken everything. */
  const clearIfTaken = () => {
    if (waiting.size === readers) clear()
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
      clearIfTaken()
    })

  return {
    hasReaders: () => readers > 0,

    push(event: SessionEvent) {
      if (readers === 0) return
      const weight = estimateEventWeight(event)
      entries.push({ event, weight })
      bytes += weight
      while (entries.length > 1 && (entries.length > mostEvents || bytes > mostBytes)) {
        bytes -= entries.shift()?.weight ?? 0
        first += 1
      }
      wakeAll()
    },

    /** An event was missed: every reader must reread from the store. */
    markGap() {
      clear()
      first += 1
      wakeAll()
    },

    attach(): LogReader {
      let offset = end()
      readers += 1
      return {
        catchUp() {
          offset = end()
        },
        async next(signal) {
          while (!signal.aborted) {
            if (offset < first) return 'lagged'
            const entry = entries[offset - first]
            if (entry) {
              offset += 1
              return entry.event
            }
            await wait(signal)
          }
          return undefined
        },
        detach() {
          readers -= 1
          clearIfTaken()
        },
      }
    },
  }
}

/** Connects a session's writer with its readers. Without a local writer, it mirrors the one in another process. */
export interface Room {
  readonly log: EventLog
  readonly mirror: Mirror
  /** The text of the running step so far. */
  stepText: StepText
  writers: number
  /** Another process requested the text of the turn that runs here. */
  isFollowed: boolean
  /** Events up to this number were delivered here; undefined while that is unknown. */
  deliveredUpTo: number | undefined
}

/** A session's messages from other processes. */
interface Mirror {
  /** Received and not processed yet. */
  inbox: RelayedMessage[]
  inboxWeight: number
  isProcessing: boolean
  /** Text was requested and has not arrived yet. */
  isTextRequested: boolean
  /** A message arrived while the writer was local. */
  hasMissed: boolean
  /** The last known turn has not ended yet. */
  isRunning: boolean
}

export type RelayedMessage =
  | { readonly kind: 'stored'; readonly upTo: number }
  | { readonly kind: 'text'; readonly events: readonly StreamedEvent[] }
  | { readonly kind: 'lost' }

export type Rooms = ReturnType<typeof createRooms>

/** A room exists while it has a writer or a reader. */
export function createRooms(limits: LogLimits) {
  const rooms = new Map<SessionId, Room>()
  return {
    enter(sessionId: SessionId): Room {
      const room = rooms.get(sessionId) ?? createRoom(limits)
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

const createRoom = (limits: LogLimits): Room => ({
  log: createEventLog(limits),
  mirror: {
    inbox: [],
    inboxWeight: 0,
    isProcessing: false,
    isTextRequested: false,
    hasMissed: false,
    isRunning: false,
  },
  stepText: createStepText(),
  writers: 0,
  isFollowed: false,
  deliveredUpTo: undefined,
})
