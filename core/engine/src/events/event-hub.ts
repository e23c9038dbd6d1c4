import type { SessionEvent, SessionId } from '@parley/contracts'
import { createInFlight, isStreamed, type StreamedEvent } from './in-flight.ts'

/** A reader holds at most this many events that it has not taken yet. */
const MAX_QUEUED = 1_000

/** Takes a session's events from its writer to whoever listens now. What was stored before is not its matter. */
export interface EventHub {
  publish(event: SessionEvent): void
  /** What the running step said is in the store now. */
  settle(sessionId: SessionId): void
  attach(sessionId: SessionId): HubReader
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
  const roomOf = (sessionId: SessionId) => {
    const room = rooms.get(sessionId) ?? {
      inFlight: createInFlight(),
      speaking: false,
      readers: new Set<Queue>(),
    }
    rooms.set(sessionId, room)
    return room
  }
  const leave = (sessionId: SessionId, room: Room) => {
    if (room.readers.size === 0 && !room.speaking) rooms.delete(sessionId)
  }

  return {
    publish(event) {
      const known = rooms.get(event.sessionId)
      if (!known && !isStreamed(event)) return
      const room = known ?? roomOf(event.sessionId)
      if (isStreamed(event)) {
        room.inFlight.add(event)
        room.speaking = true
      }
      for (const reader of room.readers) reader.push(event)
    },
    settle(sessionId) {
      const room = rooms.get(sessionId)
      if (!room) return
      room.inFlight.clear()
      room.speaking = false
      leave(sessionId, room)
    },
    attach(sessionId) {
      const room = roomOf(sessionId)
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
  speaking: boolean
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
