import type { SessionEvent, SessionId } from '@parley/contracts'
import type { EventRelay } from '../ports/event-relay.ts'
import type { SessionStore } from '../ports/session-store.ts'
import type { SaidPart } from '../turn/turn.ts'
import { type LogLimits, type LogReader, createRooms } from './event-log.ts'
import { type StreamedEvent, createInFlight } from './in-flight.ts'
import { createMirrors } from './mirrors.ts'

/** Takes a session's events from its writer to whoever listens now. What was stored before is not its matter. */
export interface RunEventBus {
  open(sessionId: SessionId): HubWriter
  attach(sessionId: SessionId): HubReader
  /** Looks whether turns that run in other processes have come further than was told here. */
  recheck(): Promise<void>
}

/** The side of the turn that runs. */
export interface HubWriter {
  /** Text as it comes: held as well, joined, for readers that come in the middle of a step. */
  say(event: StreamedEvent, part: SaidPart): void
  /** Text that goes on where nobody listens needs no event. False where it does not go on, or somebody does. */
  sayUnheard(part: SaidPart, text: string, sequenceNumber: number): boolean
  /** An event that is stored, as is all that was said before it. */
  tell(event: SessionEvent): void
  /** What the running step has said so far. */
  joined(): readonly StreamedEvent[]
  /** What the running step said is in the store now. */
  settle(): void
  close(): void
}

export interface HubReader extends Omit<LogReader, 'restart'> {
  /** Forgets what was not taken yet and returns what the running step has said so far: the point to go on from. */
  restart(): readonly StreamedEvent[]
}

export interface HubOptions {
  readonly limits?: LogLimits
  /** How to reach the other processes on the same store; without it, readers hear of turns in this process alone. */
  readonly across?: { readonly relay: EventRelay; readonly store: SessionStore }
}

const LIMITS: LogLimits = { events: 4_000, bytes: 1_000_000 }

export function createRunEventBus({ limits = LIMITS, across }: HubOptions = {}): RunEventBus {
  const rooms = createRooms(limits)
  const mirrors = across && createMirrors(rooms, across)

  return {
    open(sessionId) {
      const room = rooms.enter(sessionId)
      const { log } = room
      // A turn that lost its lease may not be done yet when the next begins: what each has said is its own.
      const inFlight = createInFlight()
      room.inFlight = inFlight
      room.isFollowed = false
      room.writers += 1
      return {
        say(event, part) {
          inFlight.add(event, part)
          log.push(event)
          if (room.isFollowed) across?.relay.tellSaid(sessionId, [event])
        },
        sayUnheard: (part, text, sequenceNumber) =>
          !room.isFollowed && !log.hasReaders() && inFlight.goOn(part, text, sequenceNumber),
        tell(event) {
          room.toldUpTo = event.sequenceNumber
          log.push(event)
          across?.relay.tellStored(sessionId, event.sequenceNumber)
        },
        joined: () => inFlight.joined(),
        settle: () => inFlight.clear(),
        close() {
          room.writers -= 1
          if (room.inFlight === inFlight) room.inFlight = createInFlight()
          if (room.writers === 0) mirrors?.resume(sessionId, room)
          rooms.leave(sessionId, room)
        },
      }
    },

    recheck: async () => mirrors?.recheck(),

    attach(sessionId) {
      const room = rooms.enter(sessionId)
      const isFirst = !room.log.hasReaders()
      const reader = room.log.attach()
      if (isFirst) mirrors?.begin(sessionId, room)
      return {
        restart() {
          reader.restart()
          return room.inFlight.joined()
        },
        next: (signal) => reader.next(signal),
        detach() {
          reader.detach()
          rooms.leave(sessionId, room)
        },
      }
    },
  }
}
