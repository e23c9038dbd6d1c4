import type { SessionEvent, SessionId } from '@parley/contracts'
import type { EventRelay } from '../ports/event-relay.ts'
import type { SessionStore } from '../ports/session-store.ts'
import type { StreamedPart } from '../turn/turn.ts'
import { type LogLimits, type LogReader, createRooms } from './event-log.ts'
import { type StreamedEvent, createStepText } from './step-text.ts'
import { createMirrors } from './mirrors.ts'

/** Delivers a session's new events from its writer to its readers. Stored events are read elsewhere. */
export interface RunEventBus {
  open(sessionId: SessionId): BusWriter
  attach(sessionId: SessionId): BusReader
  /** Checks whether turns in other processes have events that were not delivered here. */
  recheck(): Promise<void>
}

/** The side of the running turn. */
export interface BusWriter {
  /** Streams text, and keeps it joined for readers that arrive during a step. */
  publishText(event: StreamedEvent, part: StreamedPart): void
  /** Extends the last text without an event if nobody listens. False if it starts a new part or has listeners. */
  extendWithoutEvent(part: StreamedPart, text: string, sequenceNumber: number): boolean
  /** A stored event; everything before it is stored as well. */
  publish(event: SessionEvent): void
  /** The text of the running step so far. */
  joinText(): readonly StreamedEvent[]
  /** The running step's text is stored now. */
  clearText(): void
  close(): void
}

export interface BusReader extends Omit<LogReader, 'catchUp'> {
  /** Drops untaken events and returns the running step's text so far. Later events continue from there. */
  catchUp(): readonly StreamedEvent[]
}

export interface BusOptions {
  readonly limits?: LogLimits
  /** Reaches other processes on the same store; without it, readers see only turns of this process. */
  readonly otherProcesses?: { readonly relay: EventRelay; readonly store: SessionStore }
}

const LIMITS: LogLimits = { events: 4_000, bytes: 1_000_000 }

export function createRunEventBus({ limits = LIMITS, otherProcesses }: BusOptions = {}): RunEventBus {
  const rooms = createRooms(limits)
  const mirrors = otherProcesses && createMirrors(rooms, otherProcesses)

  return {
    open(sessionId) {
      const room = rooms.enter(sessionId)
      const { log } = room
      // A turn that lost its lease may still run when the next begins, so each has its own text.
      const stepText = createStepText()
      room.stepText = stepText
      room.isFollowed = false
      room.writers += 1
      return {
        publishText(event, part) {
          stepText.add(event, part)
          log.push(event)
          if (room.isFollowed) otherProcesses?.relay.notifyText(sessionId, [event])
        },
        extendWithoutEvent: (part, text, sequenceNumber) =>
          !room.isFollowed && !log.hasReaders() && stepText.extendPart(part, text, sequenceNumber),
        publish(event) {
          room.deliveredUpTo = event.sequenceNumber
          log.push(event)
          otherProcesses?.relay.notifyStored(sessionId, event.sequenceNumber)
        },
        joinText: () => stepText.joinRuns(),
        clearText: () => stepText.clear(),
        close() {
          room.writers -= 1
          if (room.stepText === stepText) room.stepText = createStepText()
          if (room.writers === 0) mirrors?.onWriterLeft(sessionId, room)
          rooms.leave(sessionId, room)
        },
      }
    },

    recheck: async () => mirrors?.recheck(),

    attach(sessionId) {
      const room = rooms.enter(sessionId)
      const isFirst = !room.log.hasReaders()
      const reader = room.log.attach()
      if (isFirst) mirrors?.onFirstReader(sessionId, room)
      return {
        catchUp() {
          reader.catchUp()
          return room.stepText.joinRuns()
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
