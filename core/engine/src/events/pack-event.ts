import type { SessionMessage } from '@parley/contracts'
import type { StoredEvent } from '../ports/session-store.ts'
import { stepIdOf } from '../session/step-id.ts'

/** An event as a store keeps it, without what the row of the message that it is stored with says already. */
export type PackedEvent = readonly [
  sequenceNumber: number,
  /** Null stands for the row's own. */
  body: StoredEvent['body'],
  /** Its time, and the message it tells of, or the part of the row's own. */
  more: { readonly t?: string; readonly of?: StoredEvent['of']; readonly p?: number },
  fromSequence?: number | null,
]

export type EventRow = Pick<SessionMessage, 'sequenceNumber' | 'turnId' | 'modelId' | 'timestamp'>

/** `row` is the message that the event is stored with, if any. */
export function packEvent(
  event: Omit<StoredEvent, 'sequenceNumber'>,
  sequenceNumber: number,
  row?: EventRow,
): PackedEvent {
  const { body, timestamp, of, fromSequence } = event
  const { turnId, stepId, model } = ownOf(row)
  const packed = { ...body }
  if (turnId !== undefined && body['turnId'] === turnId) packed['turnId'] = null
  if (stepId !== undefined && body['stepId'] === stepId) packed['stepId'] = null
  if (model !== undefined && body['model'] === model) packed['model'] = null
  const isOwnPart = of !== undefined && of.message === row?.sequenceNumber
  const more = {
    ...(timestamp !== row?.timestamp && { t: timestamp }),
    ...(of && (isOwnPart ? { p: of.part } : { of })),
  }
  return fromSequence === undefined
    ? [sequenceNumber, packed, more]
    : [sequenceNumber, packed, more, fromSequence]
}

/** As one JSON text, for the row that holds them. */
export const packEvents = (events: readonly StoredEvent[], row?: EventRow): string =>
  JSON.stringify(events.map((event) => packEvent(event, event.sequenceNumber, row)))

export function unpackEvent(
  [sequenceNumber, packed, more, fromSequence]: PackedEvent,
  row?: EventRow,
): StoredEvent {
  const { turnId, stepId, model } = ownOf(row)
  const body = { ...packed }
  if (body['turnId'] === null) body['turnId'] = turnId
  if (body['stepId'] === null) body['stepId'] = stepId
  if (body['model'] === null) body['model'] = model
  const of = row && more.p !== undefined ? { message: row.sequenceNumber, part: more.p } : more.of
  return {
    sequenceNumber,
    timestamp: more.t ?? row?.timestamp ?? '',
    body,
    ...(of && { of }),
    ...(typeof fromSequence === 'number' && { fromSequence }),
  }
}

/** What an event of this message's own step would say. */
function ownOf(row: EventRow | undefined) {
  if (!row) return {}
  const { turnId, modelId: model, sequenceNumber } = row
  return { turnId, model, stepId: turnId && stepIdOf(turnId, sequenceNumber, 0) }
}
