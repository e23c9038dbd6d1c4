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
import { type StepCost, totalOf, withStep } from '../budget/cost.ts'
import { createStamper } from '../events/in-flight.ts'
import type { RunEventBus } from '../events/run-event-bus.ts'
import { type Source, stepIdOf, toStored } from '../events/stored-event.ts'
import { withoutProof } from '../media/de-inline-media.ts'
import type { Clock, IdSource } from '../ports/id-source.ts'
import type { Batch, Lease, Media, SessionStore, StoredEvent } from '../ports/session-store.ts'
import { isSame } from '../tools/decide-approval.ts'
import type { KeptEvent, TurnHost, TurnMessage } from '../turn/turn.ts'

export interface RecorderHost {
  readonly store: SessionStore
  readonly hub: RunEventBus
  readonly clock: Clock
  readonly ids: IdSource
}

/** How many event numbers are reserved once those of the opening are used up. */
const RESERVED_AGAIN = 65_536

/** Whether an event keeps or releases the lease. */
const RELEASES: Partial<Record<KeptEvent['type'], Batch['lease']>> = {
  'session:turn_completed': 'ended',
  'agent:approval_requested': 'waiting',
}

/** Stores and publishes a turn's output: text at once, everything else after it is stored. */
export function createTurnRecorder(lease: Lease, { store, hub, clock, ids }: RecorderHost) {
  const { sessionId, turnId } = lease
  const stamper = createStamper(sessionId, lease.eventSequence, clock)
  const live = hub.open(sessionId)
  const sources = new Map<string, Source>()
  const kept: SessionMessage[] = []
  let { reservedUpTo } = lease
  let nextMessage = lease.lastMessage + 1
  let attempts = 0
  /** Stored events cover all numbers up to this one. */
  let covered = (lease.fromSequence ?? lease.eventSequence) - 1
  /** Everything up to this number is in the store. */
  let stored = { message: lease.lastMessage, event: covered }
  /** The last step that was sent to a model. */
  let stepId: StepId | undefined
  let messages: SessionMessage[] = []
  let events: StoredEvent[] = []
  /** Events that are published once they are stored. */
  let untold: SessionEvent[] = []
  let { costs } = lease
  let storedCosts = costs
  let { grants } = lease
  let storedGrants = grants
  let media: Media[] = []

  const write = async (then: Batch['lease']) => {
    await appendOnce({
      messages,
      events,
      reservedUpTo,
      lease: then,
      ...(costs !== storedCosts && { costs }),
      ...(grants !== storedGrants && { grants }),
      ...(media.length > 0 && { media }),
    })
    messages = []
    events = []
    media = []
    storedCosts = costs
    storedGrants = grants
    stored = { message: nextMessage - 1, event: covered }
  }

  /** Only the store's response may have failed, so a batch that is already stored is not written again. */
  const appendOnce = async (batch: Batch) => {
    try {
      await store.append(lease, batch)
    } catch (failure) {
      if (isBusy(failure)) throw failure
      if (!(await isStored(batch, sessionId, store))) await store.append(lease, batch)
    }
  }

  const reserve = async () => {
    reservedUpTo = stamper.next + RESERVED_AGAIN
    await write('kept')
  }

  const say: TurnHost['say'] = (step, part, text) => {
    if (stamper.next > reservedUpTo) return reserve().then(() => say(step, part, text))
    if (live.sayUnheard(part, text, stamper.next)) stamper.skip()
    else live.say(stamper.stampText(step, part.type, text), part)
    return undefined
  }

  /** The next event covers lost numbers: those reserved by a dead process, or of text that was not stored. */
  const stamp = <E extends UnstampedEvent>(event: E) => {
    const from = covered + 1
    covered = stamper.next
    return from < covered ? stamper.stamp(event, from) : stamper.stamp(event)
  }

  const enter = (event: KeptEvent) => {
    // It is stored before it is published, so its number needs no earlier reservation.
    if (stamper.next > reservedUpTo) reservedUpTo = stamper.next + RESERVED_AGAIN
    const stamped = stamp(event)
    const callId = 'callId' in event ? event.callId : ''
    events.push(toStored(stamped, sources.get(`${event.type} ${callId}`)))
    return stamped
  }

  /** Holds an event until the next one, to store and publish both together. */
  const hold = (event: KeptEvent) => {
    untold.push(enter(event))
  }

  /** Stores the event with the pending messages, then publishes it. */
  const tell = async (event: KeptEvent) => {
    const stamped = enter(event)
    await write(RELEASES[event.type] ?? 'kept')
    live.settle()
    for (const earlier of untold) live.tell(earlier)
    untold = []
    live.tell(stamped)
  }

  return {
    /** The messages stored with this lease, in order. */
    kept: kept as readonly SessionMessage[],

    costs: () => costs,
    grants: () => grants,

    /** Adds a grant for the session, stored with the next event. */
    grant(given: ToolGrant) {
      if (!grants.some((known) => isSame(known, given))) grants = [...grants, given]
    },

    /** Adds a step's cost, stored with the next event. */
    spend(cost: StepCost, usage: Usage) {
      costs = withStep(costs, cost)
      if (!cost.microcents) return
      hold({ type: 'cost:updated', turnId, model: cost.model, totalMicrocents: totalOf(costs), usage })
    },

    hold,

    nextStepId: () => (stepId = stepIdOf(turnId, nextMessage, attempts++)),

    /** Publishes the event that was stored with the lease. */
    open(event: TurnEvent, timestamp: string) {
      live.tell({ ...stamp(event), timestamp })
      stored = { ...stored, event: covered }
    },

    /** Publishes at once; returns a promise only if numbers must be reserved first. */
    say,

    tell,

    /** Drops the messages and events that could not be stored. */
    async discard() {
      messages = []
      events = []
      media = []
      untold = []
      nextMessage = stored.message + 1
      covered = stored.event
      kept.length = stored.message - lease.lastMessage
      if (stepId !== undefined && live.joined().length > 0)
        await tell({ type: 'agent:step_discarded', turnId, stepId })
    },

    /** Holds a message until the next event, to store both together. */
    keep(told: TurnMessage, named: readonly Media[] = []) {
      const sequenceNumber = nextMessage++
      const timestamp = stamper.now()
      attempts = 0
      const message = {
        ...told,
        content: told.content.map(withoutProof),
        id: ids.messageId(),
        sessionId,
        turnId,
        sequenceNumber,
        timestamp,
      }
      messages.push(message)
      media.push(...named)
      kept.push(message)
      const runs = live.joined().values()
      for (const [index, part] of told.content.entries()) {
        const source = { message: sequenceNumber, part: index }
        if (part.type === 'tool_call') sources.set(`agent:tool_call ${part.call.id}`, source)
        else if (part.type === 'tool_result') sources.set(`agent:tool_result ${part.callId}`, source)
        else {
          const run = runs.next().value
          if (!run) continue
          events.push(toStored({ ...run, timestamp }, source))
          covered = run.sequenceNumber
        }
      }
    },

    /** For a turn that has ended in any way. */
    close: () => live.close(),
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
