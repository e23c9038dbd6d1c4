import type { SessionEvent } from '@parley/contracts'

const HEARTBEAT_MS = 15_000

/** A reader that takes nothing for this long is cut off; it comes back with `Last-Event-ID` and has lost nothing. */
const STALLED_MS = 60_000

/**
 * Events as `text/event-stream`. The next event is taken only when the reader has room for it, so that a slow reader
 * costs no memory; `abort` ends the source when the reader leaves.
 */
export function eventStream(events: AsyncGenerator<SessionEvent>, abort: AbortController): Response {
  const encoder = new TextEncoder()
  let pending: Promise<IteratorResult<SessionEvent>> | undefined
  let stalled: NodeJS.Timeout | undefined

  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(stalled)
        pending ??= events.next()
        const next = await orHeartbeat(pending).catch((failure: unknown) => {
          abort.abort()
          throw failure
        })
        if (next === 'heartbeat') controller.enqueue(encoder.encode(':\n\n'))
        else {
          pending = undefined
          if (next.done) {
            controller.close()
            return
          }
          controller.enqueue(encoder.encode(frame(next.value)))
        }
        stalled = setTimeout(() => {
          abort.abort()
          controller.error(new Error('the reader took nothing for too long'))
        }, STALLED_MS)
        stalled.unref()
      },
      cancel() {
        clearTimeout(stalled)
        abort.abort()
      },
    },
    { highWaterMark: 1 },
  )
  return new Response(body, {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
  })
}

const frame = (event: SessionEvent) =>
  `id: ${event.sequenceNumber}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`

async function orHeartbeat<T>(next: Promise<T>): Promise<T | 'heartbeat'> {
  let timer: NodeJS.Timeout | undefined
  const heartbeat = new Promise<'heartbeat'>((resolve) => {
    timer = setTimeout(() => resolve('heartbeat'), HEARTBEAT_MS)
  })
  try {
    return await Promise.race([next, heartbeat])
  } finally {
    clearTimeout(timer)
  }
}
