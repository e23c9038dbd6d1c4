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
import type { Clock, IdSource } from '../ports/id-source.ts'
import type { Batch, Lease, Media, SessionStore, StoredEvent } from '../ports/session-store.ts'
import { isSameGrant } from '../tools/decide-approval.ts'
import type { DurableEvent, StepRef, StreamedPart, TurnHost, TurnMessage } from '../turn/turn.ts'

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
export function createTurnRecorder(lease: Lease, host: RecorderHost) {
  const recording = startRecording(lease, host)
  const { live, storedMessages } = recording
  return {
    /** The messages stored with this lease, in order. */
    storedMessages: storedMessages as readonly SessionMessage[],

    costs: () => recording.costs,
    grants: () => recording.grants,

    /** Adds a grant for the session, stored with the next event. */
    addGrant(added: ToolGrant) {
      const { grants } = recording
      if (!grants.some((known) => isSameGrant(known, added))) recording.grants = [...grants, added]
    },

    /** Adds a step's cost, stored with the next event. */
    addCost: (cost: StepCost, usage: Usage) => addCost(recording, cost, usage),

    /** Holds an event until the next one, to store and publish both together. */
    holdEvent: (event: DurableEvent) => holdEvent(recording, event),

    nextStepId: () =>
      (recording.stepId = createStepId(lease.turnId, recording.nextMessageNumber, recording.attempts++)),

    /** Publishes the event that was stored with the lease. */
    publishOpening(event: TurnEvent, timestamp: string) {
      live.publish({ ...stamp(recording, event), timestamp })
      recording.stored = { ...recording.stored, event: recording.coveredUpTo }
    },

    /** Publishes at once; returns a promise only if numbers must be reserved first. */
    streamText: ((step, part, text) =>
      streamText(recording, step, part, text)) satisfies TurnHost['streamText'],

    /** Stores the event with the pending messages, then publishes it. */
    record: (event: DurableEvent) => record(recording, event),

    /** Drops the messages and events that could not be stored. */
    discardPending: () => discardPending(recording),

    /** Holds a message until the next event, to store both together. */
    addMessage: (message: TurnMessage, named: readonly Media[] = []) => addMessage(recording, message, named),

    /** For a turn that has ended in any way. */
    close: () => live.close(),
  }
}

/** A turn while it is recorded: the numbers in use, the pending writes, and the stored state. */
interface Recording {
  readonly lease: Lease
  readonly store: SessionStore
  readonly ids: IdSource
  readonly stamper: ReturnType<typeof createStamper>
  readonly live: ReturnType<RunEventBus['open']>
  readonly partsByEvent: Map<string, MessagePartRef>
  readonly storedMessages: SessionMessage[]
  reservedUpTo: number
  nextMessageNumber: number
  /** How often the current step was tried. */
  attempts: number
  /** The last step that was sent to a model. */
  stepId: StepId | undefined
  /** Stored and pending events cover all numbers up to this one. */
  coveredUpTo: number
  costs: Lease['costs']
  grants: Lease['grants']
  messages: SessionMessage[]
  events: StoredEvent[]
  media: Media[]
  /** Events that are published once they are stored. */
  heldEvents: SessionEvent[]
  /** The state in the store, up to these numbers. */
  stored: {
    readonly message: number
    readonly event: number
    readonly costs: Lease['costs']
    readonly grants: Lease['grants']
  }
}

function startRecording(lease: Lease, { store, eventBus, clock, ids }: RecorderHost): Recording {
  const { sessionId, costs, grants, lastMessage, eventSequence, reservedUpTo } = lease
  const covered = (lease.fromSequence ?? eventSequence) - 1
  return {
    lease,
    store,
    ids,
    stamper: createStamper(sessionId, eventSequence, clock),
    live: eventBus.open(sessionId),
    partsByEvent: new Map(),
    storedMessages: [],
    reservedUpTo,
    nextMessageNumber: lastMessage + 1,
    attempts: 0,
    stepId: undefined,
    coveredUpTo: covered,
    costs,
    grants,
    messages: [],
    events: [],
    media: [],
    heldEvents: [],
    stored: { message: lastMessage, event: covered, costs, grants },
  }
}

async function write(recording: Recording, leaseAfter: Batch['lease']): Promise<void> {
  const { messages, events, media, costs, grants, reservedUpTo, stored } = recording
  await appendOnce(recording, {
    messages,
    events,
    reservedUpTo,
    lease: leaseAfter,
    ...(costs !== stored.costs && { costs }),
    ...(grants !== stored.grants && { grants }),
    ...(media.length > 0 && { media }),
  })
  recording.messages = []
  recording.events = []
  recording.media = []
  recording.stored = { message: recording.nextMessageNumber - 1, event: recording.coveredUpTo, costs, grants }
}

/** Only the store's response may have failed, so a batch that is already stored is not written again. */
async function appendOnce({ lease, store }: Recording, batch: Batch): Promise<void> {
  try {
    await store.append(lease, batch)
  } catch (failure) {
    if (isBusy(failure)) throw failure
    if (!(await isStored(batch, lease.sessionId, store))) await store.append(lease, batch)
  }
}

function streamText(
  recording: Recording,
  step: StepRef,
  part: StreamedPart,
  text: string,
): Promise<void> | undefined {
  const { stamper, live } = recording
  if (stamper.next > recording.reservedUpTo) {
    reserveNumbers(recording)
    return write(recording, 'kept').then(() => streamText(recording, step, part, text))
  }
  if (live.extendWithoutEvent(part, text, stamper.next)) stamper.skip()
  else live.publishText(stamper.stampText(step, part.type, text), part)
  return undefined
}

function reserveNumbers(recording: Recording): void {
  recording.reservedUpTo = recording.stamper.next + RESERVED_AGAIN
}

/** The next event covers lost numbers: those reserved by a dead process, or of text that was not stored. */
function stamp<E extends UnstampedEvent>(recording: Recording, event: E) {
  const { stamper } = recording
  const from = recording.coveredUpTo + 1
  recording.coveredUpTo = stamper.next
  return from < recording.coveredUpTo ? stamper.stamp(event, from) : stamper.stamp(event)
}

function addEvent(recording: Recording, event: DurableEvent) {
  // It is stored before it is published, so its number needs no earlier reservation.
  if (recording.stamper.next > recording.reservedUpTo) reserveNumbers(recording)
  const stamped = stamp(recording, event)
  const callId = 'callId' in event ? event.callId : ''
  recording.events.push(toStoredEvent(stamped, recording.partsByEvent.get(`${event.type} ${callId}`)))
  return stamped
}

function holdEvent(recording: Recording, event: DurableEvent): void {
  recording.heldEvents.push(addEvent(recording, event))
}

async function record(recording: Recording, event: DurableEvent): Promise<void> {
  const { live } = recording
  const stamped = addEvent(recording, event)
  await write(recording, LEASE_AFTER_EVENT[event.type] ?? 'kept')
  live.clearText()
  for (const earlier of recording.heldEvents) live.publish(earlier)
  recording.heldEvents = []
  live.publish(stamped)
}

function addCost(recording: Recording, cost: StepCost, usage: Usage): void {
  recording.costs = addStepCost(recording.costs, cost)
  if (!cost.microcents) return
  const { turnId } = recording.lease
  const totalMicrocents = sumCosts(recording.costs)
  holdEvent(recording, { type: 'cost:updated', turnId, model: cost.model, totalMicrocents, usage })
}

async function discardPending(recording: Recording): Promise<void> {
  const { lease, stored, stepId, live, storedMessages } = recording
  recording.messages = []
  recording.events = []
  recording.media = []
  recording.heldEvents = []
  recording.nextMessageNumber = stored.message + 1
  recording.coveredUpTo = stored.event
  storedMessages.length = stored.message - lease.lastMessage
  if (stepId !== undefined && live.joinText().length > 0)
    await record(recording, { type: 'agent:step_discarded', turnId: lease.turnId, stepId })
}

function addMessage(recording: Recording, added: TurnMessage, named: readonly Media[]): void {
  const { lease, stamper, ids, live, partsByEvent } = recording
  const sequenceNumber = recording.nextMessageNumber++
  const timestamp = stamper.now()
  recording.attempts = 0
  const message = {
    ...added,
    content: added.content.map(removeSignature),
    id: ids.messageId(),
    sessionId: lease.sessionId,
    turnId: lease.turnId,
    sequenceNumber,
    timestamp,
  }
  recording.messages.push(message)
  recording.media.push(...named)
  recording.storedMessages.push(message)
  const runs = live.joinText().values()
  for (const [index, part] of added.content.entries()) {
    const messageRef = { message: sequenceNumber, part: index }
    if (part.type === 'tool_call') partsByEvent.set(`agent:tool_call ${part.call.id}`, messageRef)
    else if (part.type === 'tool_result') partsByEvent.set(`agent:tool_result ${part.callId}`, messageRef)
    else {
      const run = runs.next().value
      if (!run) continue
      recording.events.push(toStoredEvent({ ...run, timestamp }, messageRef))
      recording.coveredUpTo = run.sequenceNumber
    }
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
