import type {
  DurableContentPart,
  SessionEvent,
  SessionId,
  SessionMessage,
  StepId,
  TurnId,
} from '@parley/contracts'
import type { SessionStore, StoredEvent, StoredEventBody } from '../ports/session-store.ts'

export type MessagePartRef = NonNullable<StoredEvent['messageRef']>

/** The event without its message's content. */
export function toStoredEvent(event: SessionEvent, messageRef?: MessagePartRef): StoredEvent {
  const { sessionId: _, sequenceNumber, fromSequence, timestamp, ...fields } = event
  const body: Record<string, unknown> & StoredEventBody = fields
  if (messageRef) delete body[CONTENT_FIELDS[event.type]?.field ?? '']
  return {
    sequenceNumber,
    timestamp,
    body,
    ...(fromSequence !== undefined && { fromSequence }),
    ...(messageRef && { messageRef }),
  }
}

/** The event with its message's content restored. */
export function restoreEvent(
  sessionId: SessionId,
  stored: StoredEvent,
  message: SessionMessage | undefined,
): SessionEvent {
  const { body, messageRef, ...envelope } = stored
  const contentField = CONTENT_FIELDS[body.type]
  const content =
    messageRef && message && contentField
      ? { [contentField.field]: contentField.from(message, message.content[messageRef.part]) }
      : {}
  return { ...body, ...content, ...envelope, sessionId } as SessionEvent
}

type ContentField = {
  field: string
  from: (message: SessionMessage, part: DurableContentPart | undefined) => unknown
}

const CONTENT_FIELDS: Partial<Record<SessionEvent['type'], ContentField>> = {
  'session:turn_started': { field: 'message', from: (message) => message },
  'agent:token': { field: 'token', from: (_, part) => (part?.type === 'text' ? part.text : '') },
  'agent:reasoning': { field: 'text', from: (_, part) => (part?.type === 'reasoning' ? part.text : '') },
  'agent:tool_call': {
    field: 'call',
    from: (_, part) => (part?.type === 'tool_call' ? part.call : undefined),
  },
  'agent:tool_result': {
    field: 'outcome',
    from: (_, part) => (part?.type === 'tool_result' ? part.outcome : undefined),
  },
}

/** An event as stored, without the values that its message's row already holds. */
export type PackedEvent = readonly [
  sequenceNumber: number,
  /** Null means the row's value. */
  body: StoredEvent['body'],
  /** Its time, and its message, or the part of the row's message. */
  more: { readonly t?: string; readonly of?: MessagePartRef; readonly p?: number },
  fromSequence?: number | null,
]

export type EventRow = Pick<SessionMessage, 'sequenceNumber' | 'turnId' | 'modelId' | 'timestamp'>

/** `row` is the message stored with the event, if any. */
export function packEvent(
  event: Omit<StoredEvent, 'sequenceNumber'>,
  sequenceNumber: number,
  row?: EventRow,
): PackedEvent {
  const { body, timestamp, messageRef, fromSequence } = event
  const { turnId, stepId, model } = readRowValues(row)
  const packed = { ...body }
  if (turnId !== undefined && body['turnId'] === turnId) packed['turnId'] = null
  if (stepId !== undefined && body['stepId'] === stepId) packed['stepId'] = null
  if (model !== undefined && body['model'] === model) packed['model'] = null
  const isOwnPart = messageRef !== undefined && messageRef.message === row?.sequenceNumber
  const more = {
    ...(timestamp !== row?.timestamp && { t: timestamp }),
    ...(messageRef && (isOwnPart ? { p: messageRef.part } : { of: messageRef })),
  }
  return fromSequence === undefined
    ? [sequenceNumber, packed, more]
    : [sequenceNumber, packed, more, fromSequence]
}

/** One JSON text, for the row that holds the events. */
export const packEvents = (events: readonly StoredEvent[], row?: EventRow): string =>
  JSON.stringify(events.map((event) => packEvent(event, event.sequenceNumber, row)))

export function unpackEvent(
  [sequenceNumber, packed, more, fromSequence]: PackedEvent,
  row?: EventRow,
): StoredEvent {
  const { turnId, stepId, model } = readRowValues(row)
  const body = { ...packed }
  if (body['turnId'] === null) body['turnId'] = turnId
  if (body['stepId'] === null) body['stepId'] = stepId
  if (body['model'] === null) body['model'] = model
  const messageRef = row && more.p !== undefined ? { message: row.sequenceNumber, part: more.p } : more.of
  return {
    sequenceNumber,
    timestamp: more.t ?? row?.timestamp ?? '',
    body,
    ...(messageRef && { messageRef }),
    ...(typeof fromSequence === 'number' && { fromSequence }),
  }
}

/** The values of an event of this message's own step. */
function readRowValues(row: EventRow | undefined) {
  if (!row) return {}
  const { turnId, modelId: model, sequenceNumber } = row
  return { turnId, model, stepId: turnId && createStepId(turnId, sequenceNumber, 0) }
}

/** Contains turn, message number and attempt, so another process can name the step of a dead process. */
export const createStepId = (turnId: TurnId, message: number, attempt: number): StepId =>
  `stp_${turnId.slice('trn_'.length)}x${message}x${attempt}` as StepId

const PAGE = 200

/** The stored events after a number, read on demand. */
export async function* readStoredEvents(
  store: Pick<SessionStore, 'readEvents'>,
  sessionId: SessionId,
  after: number,
): AsyncGenerator<StoredEvent> {
  for await (const page of readEventPages(store, sessionId, after)) yield* page
}

async function* readEventPages(
  store: Pick<SessionStore, 'readEvents'>,
  sessionId: SessionId,
  after: number,
): AsyncGenerator<readonly StoredEvent[]> {
  let seen = after
  for (;;) {
    const page = await store.readEvents(sessionId, { after: seen, limit: PAGE })
    yield page
    if (page.length < PAGE) return
    seen = page.at(-1)?.sequenceNumber ?? seen
  }
}

/** How much of the transcript is in memory at once; a single message may be longer. */
const WINDOW_BYTES = 128_000

/** The stored events after `after` with their content, read on demand. */
export async function* replayEvents(
  store: SessionStore,
  sessionId: SessionId,
  after: number,
): AsyncGenerator<SessionEvent> {
  const readMessage = createMessageReader(store, sessionId)
  for await (const page of readEventPages(store, sessionId, after)) {
    const last = findLastMessage(page)
    for (const stored of page) {
      const message = stored.messageRef && (await readMessage(stored.messageRef.message, last))
      // The session is being deleted.
      if (stored.messageRef && !message) return
      yield restoreEvent(sessionId, stored, message)
    }
  }
}

const findLastMessage = (page: readonly StoredEvent[]) =>
  page.reduce((last, { messageRef }) => Math.max(last, messageRef?.message ?? 0), 0)

/** Returns messages by number, and keeps only one page in memory. */
function createMessageReader(store: SessionStore, sessionId: SessionId) {
  let cached = new Map<number, SessionMessage>()
  return async (target: number, last: number): Promise<SessionMessage | undefined> => {
    for (const number of cached.keys()) if (number < target) cached.delete(number)
    if (!cached.has(target)) {
      cached.clear()
      const range = { after: target - 1, limit: last - target + 1, maxBytes: WINDOW_BYTES }
      const messages = await store.readMessages(sessionId, range)
      cached = new Map(messages.map((message) => [message.sequenceNumber, message]))
    }
    return cached.get(target)
  }
}
