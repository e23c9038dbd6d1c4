import {
  EventEnvelope,
  PlatformError,
  type SessionEvent,
  type SessionId,
  UnstampedEvent,
} from '@parley/contracts'
import { callEndpoint } from './call-endpoint.ts'
import { type ApiConnection, UNEXPECTED_RESPONSE, isTemporary, createUnreachableError } from './request.ts'

export type ConnectionState = 'live' | 'reconnecting'

export interface EventReading {
  readonly sessionId: SessionId
  /** The sequence number of the last known event. */
  readonly after: number
  readonly signal: AbortSignal
  readonly onConnection?: (state: ConnectionState) => void
}

export interface StreamTiming {
  readonly firstRetryMs: number
  readonly longestRetryMs: number
  /** A stream without even a heartbeat for this long is dead. */
  readonly silenceMs: number
}

const TIMING: StreamTiming = { firstRetryMs: 250, longestRetryMs: 5_000, silenceMs: 45_000 }

/**
 * A session's events, exactly once and in order. A stream that breaks, falls silent or skips a number is reopened after the last event. Only permanent errors (such as a missing session) are thrown.
 *
 * After a reconnect, text may arrive merged: an `agent:token` or `agent:reasoning` event with `fromSequence` replaces its step's text from that number on. `applyEvent` handles this; simply appending would repeat text.
 */
export async function* readSessionEvents(
  { sessionId, after, signal, onConnection }: EventReading,
  api: ApiConnection,
  given: Partial<StreamTiming> = {},
): AsyncGenerator<SessionEvent> {
  const timing = { ...TIMING, ...given }
  let seen = after
  let attempt = 0
  const onOpen = () => onConnection?.('live')

  while (!signal.aborted) {
    try {
      for await (const event of openStream(api, { sessionId, seen, signal, onOpen }, timing)) {
        if (event === 'alive') {
          attempt = 0
          continue
        }
        if (event.sequenceNumber <= seen) continue
        if (getFirstNumber(event) > seen + 1) break
        attempt = 0
        seen = event.sequenceNumber
        if (isKnown(event)) yield event
      }
    } catch (failure) {
      if (signal.aborted) return
      if (!isTemporary(failure)) throw failure
    }
    if (signal.aborted) return
    onConnection?.('reconnecting')
    await pause(retryDelay(attempt++, timing), signal)
  }
}

type StreamedEvent = EventEnvelope & { readonly type: string }

const TYPES: ReadonlySet<string> = new Set(UnstampedEvent.options.map(({ shape }) => shape.type.value))

/** Unknown event types advance the position but are not passed on. */
const isKnown = (event: StreamedEvent): event is SessionEvent => TYPES.has(event.type)

const getFirstNumber = ({ fromSequence, sequenceNumber }: EventEnvelope) => fromSequence ?? sequenceNumber

interface StreamRequest {
  readonly sessionId: SessionId
  readonly seen: number
  readonly signal: AbortSignal
  readonly onOpen: () => void
}

/** One connection, until it ends. */
async function* openStream(
  api: ApiConnection,
  { sessionId, seen, signal, onOpen }: StreamRequest,
  { silenceMs }: StreamTiming,
): AsyncGenerator<StreamedEvent | 'alive'> {
  const silence = new AbortController()
  let timer = setTimeout(() => silence.abort(), silenceMs)
  try {
    const response = await callEndpoint(
      api,
      'GET /v1/sessions/{sessionId}/events',
      { sessionId },
      {
        headers: { accept: 'text/event-stream', ...(seen > 0 && { 'last-event-id': String(seen) }) },
        signal: AbortSignal.any([signal, silence.signal]),
      },
    )
    if (!response.body || !response.headers.get('content-type')?.startsWith('text/event-stream')) {
      throw createUnreachableError(api, new Error('the response is not an event stream'))
    }
    onOpen()
    const parser = createSseParser()
    const decoder = new TextDecoder()
    for await (const bytes of readChunks(response.body, api)) {
      clearTimeout(timer)
      timer = setTimeout(() => silence.abort(), silenceMs)
      const complete = parser.push(decoder.decode(bytes, { stream: true }))
      if (complete.length === 0) yield 'alive'
      for (const data of complete) yield parseEvent(data)
    }
  } finally {
    clearTimeout(timer)
    silence.abort()
  }
}

async function* readChunks(body: ReadableStream<Uint8Array>, api: ApiConnection): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  for (;;) {
    const next = await reader.read().catch((cause: unknown) => {
      throw createUnreachableError(api, cause)
    })
    if (next.done) return
    yield next.value
  }
}

function parseEvent(data: string): StreamedEvent {
  try {
    const event: unknown = JSON.parse(data)
    EventEnvelope.parse(event)
    return event as StreamedEvent
  } catch (cause) {
    throw new PlatformError('internal', { message: UNEXPECTED_RESPONSE }, { cause })
  }
}

/** Exponential backoff with jitter. */
function retryDelay(attempt: number, { firstRetryMs, longestRetryMs }: StreamTiming): number {
  return Math.min(longestRetryMs, firstRetryMs * 2 ** attempt) * (0.5 + Math.random() / 2)
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, milliseconds)
    signal.addEventListener('abort', done)
  })
}

/** Parses chunks of an event stream and returns the data of each complete event. */
export function createSseParser() {
  let rest = ''
  let data: string[] = []

  return {
    push(text: string): readonly string[] {
      // A trailing carriage return may be half of a line ending.
      const lines = (rest + text).split(/\r\n|\n|\r(?=[^])/)
      rest = lines.pop() ?? ''
      const complete: string[] = []
      for (const line of lines) {
        if (line === '') {
          if (data.length > 0) complete.push(data.join('\n'))
          data = []
        } else if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5))
      }
      return complete
    },
  }
}
