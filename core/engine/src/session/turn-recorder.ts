import {
  PlatformError,
  type SessionEvent,
  type SessionId,
  type SessionMessage,
  type StepId,
  type ToolGrant,
  type TurnEvent,
  type UnstampedEvent,
  type Usage,
} from '@parley/contracts'
import { type StepCost, sumCosts, addStepCost } from '../budget/cost.ts'
import { createStamper } from '../events/event-stamper.ts'
import type { RunEventBus } from '../events/run-event-bus.ts'
import { type MessagePartRef, createStepId, toStoredEvent } from '../events/stored-event.ts'
import { removeSignature } from '../media/de-inline-media.ts'
import type { Clock } from '../ports/clock.ts'
import type { IdSource } from '../ports/id-source.ts'
import type { Batch, Lease, Media, SessionStore, StoredEvent } from '../ports/session-store.ts'
import { isSameGrant } from '../tools/decide-approval.ts'
import type { DurableEvent, StepRef, StreamedPart, TurnMessage } from '../turn/turn.ts'

export interface RecorderHost {
  readonly store: SessionStore
  readonly eventBus: RunEventBus
  readonly clock: Clock
  readonly ids: IdSource
}

/** How many event numbers are reserved once those of the opening are used up. */
const RESERVED_AGAIN = 65_536

/** Whether an event keeps or releases the lease. */
const LEASE_AFTER_EVENT: Partial<Record<DurableEvent['type'], Batch['lease']>> = {
  'session:turn_completed': 'ended',
  'agent:approval_requested': 'waiting',
}

/** Stores and publishes a turn's output: text at once, everything else after it is stored. */
export function createTurnRecorder(lease: Lease, { store, eventBus, clock, ids }: RecorderHost) {
  const { sessionId, turnId, lastMessageNumber } = lease
  const stamper = createStamper(sessionId, lease.eventSequence, clock)
  const live = eventBus.open(sessionId)
  const partsByEvent = new Map<string, MessagePartRef>()
  const recordedMessages: SessionMessage[] = []
  let { costs, grants, reservedUpTo } = lease
  let nextMessageNumber = lastMessageNumber + 1
  /** How often the current step was tried. */
  let attempts = 0
  /** The last step that was sent to a model. */
  let stepId: StepId | undefined
  /** Stored and pending events cover all numbers up to this one. */
  let coveredUpTo = (lease.fromSequence ?? lease.eventSequence) - 1
  let pending: PendingWrites = createPendingWrites()
  /** Events that are published once they are stored. */
  let heldEvents: SessionEvent[] = []
  /** The state in the store, up to these numbers. */
  let stored = { message: lastMessageNumber, event: coveredUpTo, costs, grants }

  const reserveNumbers = () => {
    reservedUpTo = stamper.next + RESERVED_AGAIN
  }

  const write = async (leaseAfter: Batch['lease']) => {
    const { messages, events, media } = pending
    const written = { costs, grants }
    await appendOnce(lease, store, {
      messages,
      events,
      reservedUpTo,
      lease: leaseAfter,
      ...(costs !== stored.costs && { costs }),
      ...(grants !== stored.grants && { grants }),
      ...(media.length > 0 && { media }),
    })
    pending = createPendingWrites()
    stored = { message: nextMessageNumber - 1, event: coveredUpTo, ...written }
  }

  /** The next event covers lost numbers: those reserved by a dead process, or of text that was not stored. */
  const stamp = <E extends UnstampedEvent>(event: E) => {
    const from = coveredUpTo + 1
    coveredUpTo = stamper.next
    return from < coveredUpTo ? stamper.stamp(event, from) : stamper.stamp(event)
  }

  const addEvent = (event: DurableEvent) => {
    // It is stored before it is published, so its number needs no earlier reservation.
    if (stamper.next > reservedUpTo) reserveNumbers()
    const stamped = stamp(event)
    const callId = 'callId' in event ? event.callId : ''
    pending.events.push(toStoredEvent(stamped, partsByEvent.get(`${event.type} ${callId}`)))
    return stamped
  }

  /** Holds an event until the next one, to store and publish both together. */
  const holdEvent = (event: DurableEvent) => {
    heldEvents.push(addEvent(event))
  }

  /** Stores the event with the pending messages, then publishes it. */
  const record = async (event: DurableEvent) => {
    const stamped = addEvent(event)
    await write(LEASE_AFTER_EVENT[event.type] ?? 'kept')
    live.clearText()
    for (const earlier of heldEvents) live.publish(earlier)
    heldEvents = []
    live.publish(stamped)
  }

  /** Publishes at once; returns a promise only if numbers must be reserved first. */
  const streamText = (step: StepRef, part: StreamedPart, text: string): Promise<void> | undefined => {
    if (stamper.next > reservedUpTo) {
      reserveNumbers()
      return write('kept').then(() => streamText(step, part, text))
    }
    if (live.extendWithoutEvent(part, text, stamper.next)) stamper.useNumber()
    else live.publishText(stamper.stampText(step, part.type, text), part)
    return undefined
  }

  return {
    /** The messages recorded with this lease, in order. */
    recordedMessages: recordedMessages as readonly SessionMessage[],
    costs: () => costs,
    grants: () => grants,
    streamText,
    holdEvent,
    record,

    /** Adds a grant for the session, stored with the next event. */
    addGrant(added: ToolGrant) {
      if (!grants.some((known) => isSameGrant(known, added))) grants = [...grants, added]
    },

    /** Adds a step's cost, stored with the next event. */
    addCost(cost: StepCost, usage: Usage) {
      costs = addStepCost(costs, cost)
      if (!cost.microcents) return
      const totalMicrocents = sumCosts(costs)
      holdEvent({ type: 'cost:updated', turnId, model: cost.model, totalMicrocents, usage })
    },

    nextStepId: () => (stepId = createStepId(turnId, nextMessageNumber, attempts++)),

    /** Publishes the event that was stored with the lease. */
    publishOpening(event: TurnEvent, timestamp: string) {
      live.publish({ ...stamp(event), timestamp })
      stored = { ...stored, event: coveredUpTo }
    },

    /** Holds a message until the next event, to store both together. */
    addMessage(added: TurnMessage, media: readonly Media[] = []) {
      const sequenceNumber = nextMessageNumber++
      const timestamp = stamper.now()
      attempts = 0
      const message = {
        ...added,
        content: added.content.map(removeSignature),
        id: ids.messageId(),
        sessionId,
        turnId,
        sequenceNumber,
        timestamp,
      }
      pending.messages.push(message)
      pending.media.push(...media)
      recordedMessages.push(message)
      const runs = live.joinText().values()
      for (const [index, part] of added.content.entries()) {
        const messageRef = { message: sequenceNumber, part: index }
        if (part.type === 'tool_call') partsByEvent.set(`agent:tool_call ${part.call.id}`, messageRef)
        else if (part.type === 'tool_result') partsByEvent.set(`agent:tool_result ${part.callId}`, messageRef)
        else {
          const run = runs.next().value
          if (!run) continue
          pending.events.push(toStoredEvent({ ...run, timestamp }, messageRef))
          coveredUpTo = run.sequenceNumber
        }
      }
    },

    /** Drops the messages and events that could not be stored. */
    async discardPending() {
      pending = createPendingWrites()
      heldEvents = []
      nextMessageNumber = stored.message + 1
      coveredUpTo = stored.event
      recordedMessages.length = stored.message - lastMessageNumber
      if (stepId !== undefined && live.joinText().length > 0)
        await record({ type: 'agent:step_discarded', turnId, stepId })
    },

    /** For a turn that has ended in any way. */
    close: () => live.close(),
  }
}

interface PendingWrites {
  readonly messages: SessionMessage[]
  readonly events: StoredEvent[]
  readonly media: Media[]
}

const createPendingWrites = (): PendingWrites => ({ messages: [], events: [], media: [] })

/** Only the store's response may have failed, so a batch that is already stored is not written again. */
async function appendOnce(lease: Lease, store: SessionStore, batch: Batch): Promise<void> {
  try {
    await store.append(lease, batch)
  } catch (failure) {
    if (isBusy(failure)) throw failure
    if (!(await isStored(batch, lease.sessionId, store))) await store.append(lease, batch)
  }
}

/** Numbers are unique, so an event with that number belongs to this batch. */
export async function isStored(
  { events }: Batch,
  sessionId: SessionId,
  store: Pick<SessionStore, 'readEvents'>,
): Promise<boolean> {
  const last = events.at(-1)?.sequenceNumber
  if (last === undefined) return false
  const [found] = await store.readEvents(sessionId, { after: last - 1, limit: 1 })
  return found?.sequenceNumber === last
}

/** Another process holds the lease. */
export const isBusy = (failure: unknown): boolean =>
  failure instanceof PlatformError && failure.code === 'session_busy'
