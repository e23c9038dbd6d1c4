import type { SessionEvent, SessionId } from '@parley/contracts'
import type { EventRelay } from '../ports/event-relay.ts'
import type { SessionStore } from '../ports/session-store.ts'
import { type StreamedEvent, firstNumberOf } from './in-flight.ts'
import type { Room, Rooms, RelayedMessage } from './event-log.ts'
import { replay, estimateWeight } from './stored-event.ts'

/** The longest queue of a session; beyond it, messages are dropped and readers reread from the store. */
const MOST_WAITING = 1_000
const MOST_WEIGHT = 4_000_000

/** Whether a turn may produce text after this event. */
const IS_RUNNING: Partial<Record<SessionEvent['type'], boolean>> = {
  'session:turn_started': true,
  'agent:approval_answered': true,
  'agent:approval_requested': false,
  'session:turn_completed': false,
}

/** Forwards events between processes: to rooms whose writer is elsewhere, and from rooms whose writer is here. */
export function createMirrors(
  rooms: Rooms,
  { relay, store }: { readonly relay: EventRelay; readonly store: SessionStore },
) {
  const requestText = (sessionId: SessionId, { mirror }: Room) => {
    mirror.isTextRequested = true
    relay.ask(sessionId)
  }

  const handlers = {
    /** Reads once for all readers; a reader that misses more rereads from the store. */
    async stored(sessionId: SessionId, room: Room, upTo: number) {
      const { inFlight, mirror } = room
      mirror.isTextRequested = false
      const after = room.deliveredUpTo ?? upTo - 1
      if (upTo <= after) return
      let mayHaveText = false
      for await (const event of replay(store, sessionId, after)) {
        if (room.writers > 0) return
        room.log.push(event)
        room.deliveredUpTo = Math.max(room.deliveredUpTo ?? 0, event.sequenceNumber)
        mayHaveText = IS_RUNNING[event.type] ?? mayHaveText
        mirror.isRunning = IS_RUNNING[event.type] ?? mirror.isRunning
      }
      inFlight.clear()
      if (mayHaveText) requestText(sessionId, room)
    },

    /** Text that does not continue the known text would leave a gap, so the whole text is requested; it arrives as joined events. */
    said(sessionId: SessionId, room: Room, events: readonly StreamedEvent[]) {
      for (const event of events) {
        const { deliveredUpTo, mirror } = room
        if (deliveredUpTo === undefined || event.sequenceNumber <= deliveredUpTo) continue
        if (firstNumberOf(event) > deliveredUpTo + 1) {
          const isWhole = event.fromSequence !== undefined
          if (!isWhole && !mirror.isTextRequested) requestText(sessionId, room)
          return
        }
        mirror.isTextRequested = false
        room.inFlight.add(event)
        room.log.push(event)
        room.deliveredUpTo = event.sequenceNumber
      }
    },

    lost(sessionId: SessionId, room: Room) {
      room.log.skip()
      requestText(sessionId, room)
    },
  }

  const processMessage = async (sessionId: SessionId, room: Room, message: RelayedMessage) => {
    if (message.kind === 'said') handlers.said(sessionId, room, message.events)
    else if (message.kind === 'lost') handlers.lost(sessionId, room)
    // Each reader reports a store failure itself.
    else await handlers.stored(sessionId, room, message.upTo).catch(() => room.log.skip())
  }

  /** In order of arrival. */
  const processInbox = async (sessionId: SessionId, room: Room) => {
    const { mirror } = room
    mirror.isProcessing = true
    for (let message = mirror.inbox.shift(); message; message = mirror.inbox.shift()) {
      mirror.inboxWeight -= estimateRelayedWeight(message)
      if (room.writers === 0) await processMessage(sessionId, room, message)
      if (room.writers > 0) mirror.hasMissed = true
    }
    mirror.isProcessing = false
  }

  const enqueue = (sessionId: SessionId, message: RelayedMessage) => {
    const room = rooms.find(sessionId)
    if (!room?.log.hasReaders()) return
    const { mirror } = room
    if (room.writers > 0) {
      mirror.hasMissed = true
      return
    }
    mirror.inbox.push(message)
    mirror.inboxWeight += estimateRelayedWeight(message)
    const { length } = mirror.inbox
    const isTooMuch = length > MOST_WAITING || (length > 1 && mirror.inboxWeight > MOST_WEIGHT)
    if (isTooMuch || message.kind === 'lost') {
      mirror.inbox = [{ kind: 'lost' }]
      mirror.inboxWeight = 0
    }
    if (!mirror.isProcessing) void processInbox(sessionId, room)
  }

  relay.connect({
    stored: (sessionId, upTo) => enqueue(sessionId, { kind: 'stored', upTo }),
    said: (sessionId, events) => enqueue(sessionId, { kind: 'said', events }),
    asked(sessionId) {
      const room = rooms.find(sessionId)
      if (!room || room.writers === 0) return
      room.isFollowed = true
      const { deliveredUpTo } = room
      if (deliveredUpTo !== undefined) relay.notifyStored(sessionId, deliveredUpTo)
      const said = room.inFlight.joined()
      if (said.length > 0) relay.notifyText(sessionId, said)
    },
    restarted() {
      for (const sessionId of rooms.ids()) enqueue(sessionId, { kind: 'lost' })
    },
  })

  return {
    /** The first reader joined. */
    begin(sessionId: SessionId, room: Room) {
      if (room.writers === 0) requestText(sessionId, room)
    },
    /** A process that dies right after storing a turn's end notifies nobody, so turns of other processes are polled. */
    async recheck() {
      for (const sessionId of rooms.ids()) {
        const room = rooms.find(sessionId)
        if (!room?.mirror.isRunning || room.writers > 0) continue
        const record = await store.find(sessionId)
        if (record) enqueue(sessionId, { kind: 'stored', upTo: record.lastSequence })
      }
    },
    /** The writer left; readers may remain. */
    resume(sessionId: SessionId, { mirror }: Room) {
      if (mirror.hasMissed) enqueue(sessionId, { kind: 'lost' })
      mirror.hasMissed = false
    },
  }
}

const estimateRelayedWeight = (message: RelayedMessage) =>
  message.kind === 'said' ? message.events.reduce((weight, event) => weight + estimateWeight(event), 0) : 0
