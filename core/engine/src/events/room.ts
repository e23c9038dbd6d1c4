import type { SessionId } from '@parley/contracts'
import { createEventLog, type EventLog, type LogLimits } from './event-log.ts'
import { createInFlight, type InFlight, type StreamedEvent } from './in-flight.ts'

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
export interface Mirror {
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
