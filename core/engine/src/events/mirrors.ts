import type { SessionEvent, SessionId } from '@parley/contracts'
import type { EventRelay } from '../ports/event-relay.ts'
import type { SessionStore } from '../ports/session-store.ts'
import { type StreamedEvent, firstNumberOf } from './in-flight.ts'
import type { Room, Rooms, RelayedMessage } from './event-log.ts'
import { replay, weightOf } from './stored-event.ts'

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
  const ask = (sessionId: SessionId, { mirror }: Room) => {
    mirror.isAsking = true
    relay.ask(sessionId)
  }

  const takeIn = {
    /** Reads once for all readers; a reader that misses more rereads from the store. */
    async stored(sessionId: SessionId, room: Room, upTo: number) {
      const { inFlight, mirror } = room
      mirror.isAsking = false
      const after = room.toldUpTo ?? upTo - 1
      if (upTo <= after) return
      let mayHaveText = false
      for await (const event of replay(store, sessionId, after)) {
        if (room.writers > 0) return
        room.log.push(event)
        room.toldUpTo = Math.max(room.toldUpTo ?? 0, event.sequenceNumber)
        mayHaveText = IS_RUNNING[event.type] ?? mayHaveText
        mirror.isRunning = IS_RUNNING[event.type] ?? mirror.isRunning
      }
      inFlight.clear()
      if (mayHaveText) ask(sessionId, room)
    },

    /** Text that does not continue the known text would leave a gap, so the whole text is requested; it comes joined. */
    said(sessionId: SessionId, room: Room, events: readonly StreamedEvent[]) {
      for (const event of events) {
        const { toldUpTo, mirror } = room
        if (toldUpTo === undefined || event.sequenceNumber <= toldUpTo) continue
        if (firstNumberOf(event) > toldUpTo + 1) {
          const isWhole = event.fromSequence !== undefined
          if (!isWhole && !mirror.isAsking) ask(sessionId, room)
          return
        }
        mirror.isAsking = false
        room.inFlight.add(event)
        room.log.push(event)
        room.toldUpTo = event.sequenceNumber
      }
    },

    lost(sessionId: SessionId, room: Room) {
      room.log.skip()
      ask(sessionId, room)
    },
  }

  const takeInOne = async (sessionId: SessionId, room: Room, message: RelayedMessage) => {
    if (message.kind === 'said') takeIn.said(sessionId, room, message.events)
    else if (message.kind === 'lost') takeIn.lost(sessionId, room)
    // Each reader reports a store failure itself.
    else await takeIn.stored(sessionId, room, message.upTo).catch(() => room.log.skip())
  }

  /** In order of arrival. */
  const takeInAll = async (sessionId: SessionId, room: Room) => {
    const { mirror } = room
    mirror.isTakingIn = true
    for (let message = mirror.inbox.shift(); message; message = mirror.inbox.shift()) {
      mirror.inboxWeight -= weightOfMessage(message)
      if (room.writers === 0) await takeInOne(sessionId, room, message)
      if (room.writers > 0) mirror.hasMissed = true
    }
    mirror.isTakingIn = false
  }

  const put = (sessionId: SessionId, message: RelayedMessage) => {
    const room = rooms.find(sessionId)
    if (!room?.log.hasReaders()) return
    const { mirror } = room
    if (room.writers > 0) {
      mirror.hasMissed = true
      return
    }
    mirror.inbox.push(message)
    mirror.inboxWeight += weightOfMessage(message)
    const { length } = mirror.inbox
    const isTooMuch = length > MOST_WAITING || (length > 1 && mirror.inboxWeight > MOST_WEIGHT)
    if (isTooMuch || message.kind === 'lost') {
      mirror.inbox = [{ kind: 'lost' }]
      mirror.inboxWeight = 0
    }
    if (!mirror.isTakingIn) void takeInAll(sessionId, room)
  }

  relay.connect({
    stored: (sessionId, upTo) => put(sessionId, { kind: 'stored', upTo }),
    said: (sessionId, events) => put(sessionId, { kind: 'said', events }),
    asked(sessionId) {
      const room = rooms.find(sessionId)
      if (!room || room.writers === 0) return
      room.isFollowed = true
      const { toldUpTo } = room
      if (toldUpTo !== undefined) relay.tellStored(sessionId, toldUpTo)
      const said = room.inFlight.joined()
      if (said.length > 0) relay.tellSaid(sessionId, said)
    },
    restarted() {
      for (const sessionId of rooms.ids()) put(sessionId, { kind: 'lost' })
    },
  })

  return {
    /** The first reader joined. */
    begin(sessionId: SessionId, room: Room) {
      if (room.writers === 0) ask(sessionId, room)
    },
    /** A process that dies right after storing a turn's end notifies nobody, so turns of other processes are polled. */
    async recheck() {
      for (const sessionId of rooms.ids()) {
        const room = rooms.find(sessionId)
        if (!room?.mirror.isRunning || room.writers > 0) continue
        const record = await store.find(sessionId)
        if (record) put(sessionId, { kind: 'stored', upTo: record.lastSequence })
      }
    },
    /** The writer left; readers may remain. */
    resume(sessionId: SessionId, { mirror }: Room) {
      if (mirror.hasMissed) put(sessionId, { kind: 'lost' })
      mirror.hasMissed = false
    },
  }
}

const weightOfMessage = (message: RelayedMessage) =>
  message.kind === 'said' ? message.events.reduce((weight, event) => weight + weightOf(event), 0) : 0
