import { setImmediate as endOfRound } from 'node:timers/promises'
import type { SessionEvent } from '@parley/contracts'

export interface StreamOptions {
  readonly heartbeatMs?: number
  /** A reader that takes nothing for this long is disconnected. It reconnects with `Last-Event-ID` and loses nothing. */
  readonly stalledMs?: number
}

/** The bytes written to a socket at once. A small limit keeps the memory of slow readers low and reveals stalled ones. */
const CHUNK_BYTES = 64 * 1024

/**
 * Events as `text/event-stream`. Events are read only when the reader has room, so a slow reader costs little memory.
 * `abort` ends their source when the events end or the reader leaves.
 */
export function eventStream(
  events: AsyncGenerator<SessionEvent>,
  abort: AbortController,
  { heartbeatMs = 15_000, stalledMs = 60_000 }: StreamOptions = {},
): Response {
  const chunks = readChunks(events, heartbeatMs)
  let stalled: NodeJS.Timeout | undefined
  const end = () => {
    clearTimeout(stalled)
    abort.abort()
    chunks.return().catch(() => {})
  }

  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(stalled)
        const next = await chunks.next().catch((failure: unknown) => {
          end()
          throw failure
        })
        if (next.done) {
          end()
          controller.close()
          return
        }
        controller.enqueue(next.value)
        stalled = setTimeout(() => {
          end()
          controller.error(new Error('the reader has stalled'))
        }, stalledMs)
        stalled.unref()
      },
      cancel: end,
    },
    { highWaterMark: 1 },
  )
  return new Response(body, { headers: STREAM_HEADERS })
}

export const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}

const encoder = new TextEncoder()
const RECONNECT_DELAY = encoder.encode('retry: 1000\n\n')
const HEARTBEAT = encoder.encode(':\n\n')

/** Bytes for the socket: at most one chunk at a time, and at least a heartbeat per interval. */
async function* readChunks(
  events: AsyncGenerator<SessionEvent>,
  heartbeatMs: number,
): AsyncGenerator<Uint8Array, void, void> {
  const gather = createFrameReader(events)
  try {
    let frames = gather()
    yield RECONNECT_DELAY
    for (;;) {
      const gathered = await waitFor(heartbeatMs, frames)
      if (gathered === 'later') yield HEARTBEAT
      else if (gathered === 'ended') return
      else {
        for (let at = 0; at < gathered.length; at += CHUNK_BYTES)
          yield gathered.subarray(at, at + CHUNK_BYTES)
        frames = gather()
      }
    }
  } finally {
    await events.return(undefined)
  }
}

/** Reads the next event and all further events that are available already, up to about one chunk. */
function createFrameReader(events: AsyncGenerator<SessionEvent>) {
  let pending: Promise<IteratorResult<SessionEvent>> | undefined
  return async (): Promise<Uint8Array | 'ended'> => {
    const frames: Uint8Array[] = []
    let bytes = 0
    let next: IteratorResult<SessionEvent> | 'later' = await (pending ?? events.next())
    const later = endOfRound('later' as const)
    while (next !== 'later' && !next.done) {
      const frame = toFrame(next.value)
      frames.push(frame)
      bytes += frame.length
      pending = bytes < CHUNK_BYTES ? events.next() : undefined
      next = pending ? await Promise.race([pending, later]) : 'later'
    }
    const [first] = frames
    if (!first) return 'ended'
    return frames.length === 1 ? first : Buffer.concat(frames)
  }
}

/** Many readers get the same event, so its frame is built once. */
const written = new WeakMap<SessionEvent, Uint8Array>()

function toFrame(event: SessionEvent): Uint8Array {
  const known = written.get(event)
  if (known) return known
  const { sequenceNumber, type } = event
  const frame = encoder.encode(`id: ${sequenceNumber}\nevent: ${type}\ndata: ${JSON.stringify(event)}\n\n`)
  written.set(event, frame)
  return frame
}

async function waitFor<T>(milliseconds: number, work: Promise<T>): Promise<T | 'later'> {
  let timer: NodeJS.Timeout | undefined
  const later = new Promise<'later'>((resolve) => {
    timer = setTimeout(() => resolve('later'), milliseconds)
  })
  try {
    return await Promise.race([work, later])
  } finally {
    clearTimeout(timer)
  }
}
