import type { SessionEvent, SessionId } from '@parley/contracts'
import { createInFlight, type StreamedEvent } from './in-flight.ts'

/** A reader holds at most this many events that it has not taken yet. */
const MAX_QUEUED = 1_000

/** Takes a session's events from its writer to whoever listens now. What was stored before is not its matter. */
export interface EventHub {
  open(sessionId: SessionId): HubWriter
  attach(sessionId: SessionId): HubReader
}

/** The side of the turn that runs. */
export interface HubWriter {
  /** Text as it comes: held as well, joined, for readers that come in the middle of a step. */
  say(event: StreamedEvent): void
  tell(event: SessionEvent): void
  /** What the running step has said so far. */
  joined(): readonly StreamedEvent[]
  /** What the running step said is in the store now. */
  settle(): void
  close(): void
}

export interface HubReader {
  /** Forgets what is queued and returns what the running step has said so far: the point to go on from. */
  restart(): readonly StreamedEvent[]
  /** The next event; `lagged` after more came than is held; `undefined` once the signal is aborted. */
  next(signal: AbortSignal): Promise<SessionEvent | 'lagged' | undefined>
  detach(): void
}

export function createEventHub(maxQueued = MAX_QUEUED): EventHub {
  const rooms = new Map<SessionId, Room>()
  const enter = (sessionId: SessionId): Room => {
    const room = rooms.get(sessionId) ?? { inFlight: createInFlight(), readers: new Set<Queue>(), writers: 0 }
    rooms.set(sessionId, room)
    return room
  }
  const leave = (sessionId: SessionId, room: Room) => {
    if (room.readers.size === 0 && room.writers === 0) rooms.delete(sessionId)
  }

  return {
    open(sessionId) {
      const room = enter(sessionId)
      const { inFlight, readers } = room
      room.writers += 1
      const tell = (event: SessionEvent) => {
        for (const reader of readers) reader.push(event)
      }
      return {
        say(event) {
          inFlight.add(event)
          tell(event)
        },
        tell,
        joined: () => inFlight.joined(),
        settle: () => inFlight.clear(),
        close() {
          inFlight.clear()
          room.writers -= 1
          leave(sessionId, room)
        },
      }
    },

    attach(sessionId) {
      const room = enter(sessionId)
      const queue = createQueue(maxQueued)
      room.readers.add(queue)
      return {
        restart() {
          queue.clear()
          return room.inFlight.joined()
        },
        next: (signal) => queue.next(signal),
        detach() {
          room.readers.delete(queue)
          leave(sessionId, room)
        },
      }
    },
  }
}

interface Room {
  readonly inFlight: ReturnType<typeof createInFlight>
  readonly readers: Set<Queue>
  writers: number
}

type Queue = ReturnType<typeof createQueue>

function createQueue(maxQueued: number) {
  let events: SessionEvent[] = []
  let lagged = false
  let wake: (() => void) | undefined
  return {
    push(event: SessionEvent) {
      if (lagged) return
      if (events.length >= maxQueued) {
        events = []
        lagged = true
      } else events.push(event)
      wake?.()
    },
    clear() {
      events = []
      lagged = false
    },
    async next(signal: AbortSignal): Promise<SessionEvent | 'lagged' | undefined> {
      while (!signal.aborted) {
        if (lagged) return 'lagged'
        const event = events.shift()
        if (event) return event
        await new Promise<void>((resolve) => {
          const woken = () => {
            signal.removeEventListener('abort', woken)
            resolve()
          }
          wake = woken
          signal.addEventListener('abort', woken)
        })
      }
      return undefined
    },
  }
}
