import type { SessionMessage, TurnEvent } from '@parley/contracts'
import type { EventHub } from '../events/event-hub.ts'
import { createStamper } from '../events/stamper.ts'
import { toStored, type Source } from '../events/stored-event.ts'
import type { Clock } from '../ports/clock.ts'
import type { IdSource } from '../ports/id-source.ts'
import type { Lease, SessionStore, StoredEvent } from '../ports/session-store.ts'
import type { SpokenEvent, TurnMessage } from '../turn/turn.ts'

export interface RecorderHost {
  readonly store: SessionStore
  readonly hub: EventHub
  readonly clock: Clock
  readonly ids: IdSource
}

/** How many event numbers are reserved when those of the opening are used up. */
const RESERVED_AGAIN = 8_192

/** Keeps and tells what a turn brings about: text as it comes, everything else once it is stored. */
export function createTurnRecorder(lease: Lease, { store, hub, clock, ids }: RecorderHost) {
  const { sessionId } = lease
  const stamper = createStamper(sessionId, lease.eventSequence, clock)
  const live = hub.open(sessionId)
  const sources = new Map<string, Source>()
  let { reservedUpTo } = lease
  let nextMessage = lease.messageSequence + 1
  let messages: SessionMessage[] = []
  let events: StoredEvent[] = []

  const write = async (release: boolean) => {
    await store.append(lease, { messages, events, reservedUpTo, at: stamper.now(), release })
    messages = []
    events = []
  }

  const reserve = async () => {
    reservedUpTo = stamper.next + RESERVED_AGAIN
    await write(false)
  }

  const say = (event: SpokenEvent): Promise<void> | undefined => {
    if (stamper.next > reservedUpTo) return reserve().then(() => say(event))
    live.say(stamper.stamp(event))
    return undefined
  }

  return {
    /** Tells the event that the store kept when it gave out the lease. */
    open: (event: TurnEvent) => live.tell(stamper.stamp(event, lease.fromSequence)),

    /** Tells at once; a promise only where numbers have to be reserved first. */
    say,

    /** Stores the event, with the messages that wait, and then tells it. */
    async tell(event: Exclude<TurnEvent, SpokenEvent>) {
      if (stamper.next > reservedUpTo) await reserve()
      const stamped = stamper.stamp(event)
      const callId = 'callId' in event ? event.callId : ''
      events.push(toStored(stamped, sources.get(`${event.type} ${callId}`)))
      await write(event.type === 'session:turn_completed')
      live.settle()
      live.tell(stamped)
    },

    /** Holds a message until the event that follows it is stored, so that both are stored as one. */
    keep(told: TurnMessage) {
      const sequenceNumber = nextMessage++
      const id = ids.messageId()
      messages.push({ ...told, id, sessionId, sequenceNumber, timestamp: stamper.now() })
      const runs = live.joined().values()
      for (const [index, part] of told.content.entries()) {
        const source = { message: sequenceNumber, part: index }
        if (part.type === 'tool_call') sources.set(`agent:tool_call ${part.call.id}`, source)
        else if (part.type === 'tool_result') sources.set(`agent:tool_result ${part.callId}`, source)
        else {
          const run = runs.next().value
          if (run) events.push(toStored(run, source))
        }
      }
    },

    /** For a turn that has ended, however it did. */
    close: () => live.close(),
  }
}
