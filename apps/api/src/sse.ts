import { setImmediate as endOfRound } from 'node:timers/promises'
import type { SessionEvent } from '@parley/contracts'

export interface StreamOptions {
  readonly heartbeatMs?: number
  /** A reader that takes nothing for this long is cut off; it comes back with `Last-Event-ID` and has lost nothing. */
  readonly stalledMs?: number
}

/** The bytes written to a socket at once: few, so that a slow reader costs little memory and is noticed. */
const CHUNK_BYTES = 64 * 1024

/**
 * Events as `text/event-stream`. The first is waited for at once, the others are taken only when the reader has room
 * for them, so that a slow reader costs little; `abort` ends their source, when they end or the reader leaves.
 */
export function eventStream(
  events: AsyncGenerator<SessionEvent>,
  abort: AbortController,
  { heartbeatMs = 15_000, stalledMs = 60_000 }: StreamOptions = {},
): Response {
  const chunks = chunksOf(events, heartbeatMs)
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
          controller.error(new Error('the reader took nothing for too long'))
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
const COME_BACK_SOON = encoder.encode('retry: 1000\n\n')
const HEARTBEAT = encoder.encode(':\n\n')

/** Bytes for the socket: at most a chunk at a time, and something at least with every heartbeat. */
async function* chunksOf(
  events: AsyncGenerator<SessionEvent>,
  heartbeatMs: number,
): AsyncGenerator<Uint8Array, void, void> {
  const gather = createGathering(events)
  try {
    let frames = gather()
    yield COME_BACK_SOON
    for (;;) {
      const gathered = await within(heartbeatMs, frames)
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

/** Gives the next event, and with it all that are there already, up to about a chunk of them. */
function createGathering(events: AsyncGenerator<SessionEvent>) {
  let pending: Promise<IteratorResult<SessionEvent>> | undefined
  return async (): Promise<Uint8Array | 'ended'> => {
    const frames: Uint8Array[] = []
    let bytes = 0
    let next: IteratorResult<SessionEvent> | 'later' = await (pending ?? events.next())
    const later = endOfRound('later' as const)
    while (next !== 'later' && !next.done) {
      const frame = frameOf(next.value)
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

/** The same event goes to many readers, and is written once. */
const written = new WeakMap<SessionEvent, Uint8Array>()

function frameOf(event: SessionEvent): Uint8Array {
  const known = written.get(event)
  if (known) return known
  const { sequenceNumber, type } = event
  const frame = encoder.encode(`id: ${sequenceNumber}\nevent: ${type}\ndata: ${JSON.stringify(event)}\n\n`)
  written.set(event, frame)
  return frame
}

async function within<T>(milliseconds: number, work: Promise<T>): Promise<T | 'later'> {
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
