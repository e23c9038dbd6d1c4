import type { DurableContentPart, SessionEvent, SessionId, SessionMessage } from '@parley/contracts'
import type { StoredEvent, StoredEventBody } from '../ports/session-store.ts'

export type Source = NonNullable<StoredEvent['of']>

/** The event without what its message holds. */
export function toStored(event: SessionEvent, of?: Source): StoredEvent {
  const { sessionId: _, sequenceNumber, fromSequence, timestamp, ...told } = event
  const body: Record<string, unknown> & StoredEventBody = told
  if (of) delete body[HELD_BY_MESSAGE[event.type]?.field ?? '']
  return {
    sequenceNumber,
    timestamp,
    body,
    ...(fromSequence !== undefined && { fromSequence }),
    ...(of && { of }),
  }
}

/** The event as it was told, with what its message holds put back. */
export function toTold(
  sessionId: SessionId,
  stored: StoredEvent,
  message: SessionMessage | undefined,
): SessionEvent {
  const { body, of, ...envelope } = stored
  const held = HELD_BY_MESSAGE[body.type]
  const content = of && message && held ? { [held.field]: held.from(message, message.content[of.part]) } : {}
  return { ...body, ...content, ...envelope, sessionId } as SessionEvent
}

type Held = {
  field: string
  from: (message: SessionMessage, part: DurableContentPart | undefined) => unknown
}

const HELD_BY_MESSAGE: Partial<Record<SessionEvent['type'], Held>> = {
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
