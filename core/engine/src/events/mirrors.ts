import type { SessionEvent, SessionId } from '@parley/contracts'
import type { EventRelay } from '../ports/event-relay.ts'
import type { SessionStore } from '../ports/session-store.ts'
import type { RelayedMessage, Room, Rooms } from './event-log.ts'
import { type StreamedEvent, getFirstNumber } from './step-text.ts'
import { estimateEventWeight } from './estimate-weight.ts'
import { replayEvents } from './stored-event.ts'

/** Forwards events between processes: to rooms whose writer is elsewhere, and from rooms whose writer is here. */
export function createMirrors(rooms: Rooms, { relay, store }: Pick<Mirrors, 'relay' | 'store'>) {
  const mirrors: Mirrors = { rooms, relay, store }
  relay.connect({
    onStored: (sessionId, upTo) => receive(mirrors, sessionId, { kind: 'stored', upTo }),
    onText: (sessionId, events) => receive(mirrors, sessionId, { kind: 'text', events }),
    onTextRequested: (sessionId) => sendText(mirrors, sessionId),
    onMissed() {
      for (const sessionId of rooms.ids()) receive(mirrors, sessionId, { kind: 'lost' })
    },
  })
  return {
    onFirstReader(sessionId: SessionId, room: Room) {
      if (room.writers === 0) requestText(mirrors, sessionId, room)
    },
    /** A process that dies right after storing a turn's end notifies nobody, so turns of other processes are polled. */
    async recheck() {
      for (const sessionId of rooms.ids()) {
        const room = rooms.find(sessionId)
        if (!room?.mirror.isRunning || room.writers > 0) continue
        const record = await store.find(sessionId)
        if (record) receive(mirrors, sessionId, { kind: 'stored', upTo: record.lastSequence })
      }
    },
    onWriterLeft(sessionId: SessionId, { mirror }: Room) {
      if (mirror.hasMissed) receive(mirrors, sessionId, { kind: 'lost' })
      mirror.hasMissed = false
    },
  }
}

interface Mirrors {
  readonly rooms: Rooms
  readonly relay: EventRelay
  readonly store: SessionStore
}

/** The longest queue of a session; beyond it, messages are dropped and readers reread from the store. */
const MAX_WAITING = 1_000
const MAX_WEIGHT = 4_000_000

/** Queues a message from another process, if the session has readers here. */
function receive(mirrors: Mirrors, sessionId: SessionId, message: RelayedMessage): void {
  const room = mirrors.rooms.find(sessionId)
  if (!room?.log.hasReaders()) return
  const { mirror } = room
  if (room.writers > 0) {
    mirror.hasMissed = true
    return
  }
  mirror.inbox.push(message)
  mirror.inboxWeight += estimateMessageWeight(message)
  const { length } = mirror.inbox
  const isTooMuch = length > MAX_WAITING || (length > 1 && mirror.inboxWeight > MAX_WEIGHT)
  if (isTooMuch || message.kind === 'lost') {
    mirror.inbox = [{ kind: 'lost' }]
    mirror.inboxWeight = 0
  }
  if (!mirror.isProcessing) void processInbox(mirrors, sessionId, room)
}

/** In order of arrival. */
async function processInbox(mirrors: Mirrors, sessionId: SessionId, room: Room): Promise<void> {
  const { mirror } = room
  mirror.isProcessing = true
  for (let message = mirror.inbox.shift(); message; message = mirror.inbox.shift()) {
    mirror.inboxWeight -= estimateMessageWeight(message)
    if (room.writers === 0) await processMessage(mirrors, sessionId, room, message)
    if (room.writers > 0) mirror.hasMissed = true
  }
  mirror.isProcessing = false
}

async function processMessage(
  mirrors: Mirrors,
  sessionId: SessionId,
  room: Room,
  message: RelayedMessage,
): Promise<void> {
  switch (message.kind) {
    case 'stored':
      // Each reader reports a store failure itself.
      await deliverStored(mirrors, sessionId, room, message.upTo).catch(() => room.log.markGap())
      break
    case 'text':
      deliverText(mirrors, sessionId, room, message.events)
      break
    case 'lost':
      room.log.markGap()
      requestText(mirrors, sessionId, room)
      break
    default:
      message satisfies never
  }
}

/** Whether a turn may produce text after this event. */
const IS_RUNNING: Partial<Record<SessionEvent['type'], boolean>> = {
  'session:turn_started': true,
  'agent:approval_answered': true,
  'agent:approval_requested': false,
  'session:turn_completed': false,
}

/** Reads once for all readers; a reader that misses more rereads from the store. */
async function deliverStored(
  mirrors: Mirrors,
  sessionId: SessionId,
  room: Room,
  upTo: number,
): Promise<void> {
  const { stepText, mirror } = room
  mirror.isTextRequested = false
  const after = room.deliveredUpTo ?? upTo - 1
  if (upTo <= after) return
  let mayHaveText = false
  for await (const event of replayEvents(mirrors.store, sessionId, after)) {
    if (room.writers > 0) return
    room.log.push(event)
    room.deliveredUpTo = Math.max(room.deliveredUpTo ?? 0, event.sequenceNumber)
    mayHaveText = IS_RUNNING[event.type] ?? mayHaveText
    mirror.isRunning = IS_RUNNING[event.type] ?? mirror.isRunning
  }
  stepText.clear()
  if (mayHaveText) requestText(mirrors, sessionId, room)
}

/** Text that does not continue the known text would leave a gap, so the whole text is requested; it arrives as joined events. */
function deliverText(
  mirrors: Mirrors,
  sessionId: SessionId,
  room: Room,
  events: readonly StreamedEvent[],
): void {
  for (const event of events) {
    const { deliveredUpTo, mirror } = room
    if (deliveredUpTo === undefined || event.sequenceNumber <= deliveredUpTo) continue
    if (getFirstNumber(event) > deliveredUpTo + 1) {
      const isWhole = event.fromSequence !== undefined
      if (!isWhole && !mirror.isTextRequested) requestText(mirrors, sessionId, room)
      return
    }
    mirror.isTextRequested = false
    room.stepText.add(event)
    room.log.push(event)
    room.deliveredUpTo = event.sequenceNumber
  }
}

function requestText({ relay }: Mirrors, sessionId: SessionId, { mirror }: Room): void {
  mirror.isTextRequested = true
  relay.requestText(sessionId)
}

/** Another process has readers of a turn that may run here. */
function sendText({ rooms, relay }: Mirrors, sessionId: SessionId): void {
  const room = rooms.find(sessionId)
  if (!room || room.writers === 0) return
  room.isFollowed = true
  const { deliveredUpTo } = room
  if (deliveredUpTo !== undefined) relay.notifyStored(sessionId, deliveredUpTo)
  const text = room.stepText.joinRuns()
  if (text.length > 0) relay.notifyText(sessionId, text)
}

const estimateMessageWeight = (message: RelayedMessage): number =>
  message.kind === 'text'
    ? message.events.reduce((weight, event) => weight + estimateEventWeight(event), 0)
    : 0
