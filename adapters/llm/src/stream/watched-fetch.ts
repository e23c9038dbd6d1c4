import { UnexpectedResponseError, RedirectError } from '../failure/provider-failure.ts'

/** How long a provider may be silent, in milliseconds. */
export interface Patience {
  readonly firstByteMs: number
  readonly idleMs: number
}

/** Ends a request if the provider falls silent, or sends without end. */
export interface Watchdog {
  /** Aborts when the caller aborts, when the watchdog ends the request, and on `stop`. */
  readonly signal: AbortSignal
  /** Why the watchdog ended the request; undefined if it did not. */
  readonly reason: 'silent' | 'endless' | undefined
  recordBytes(bytes: number): void
  /** Stops counting silence while the caller handles an event. */
  pause(): void
  /** Counts silence again, from now on. */
  resume(): void
  /** Ends the request. */
  stop(): void
}

/** Bytes without content, such as pings, extend the time limit by at most this factor. */
const PING_FACTOR = 10

export function startWatchdog(patience: Patience, maxBytes: number, caller: AbortSignal): Watchdog {
  const controller = new AbortController()
  let reason: Watchdog['reason']
  let limit = patience.firstByteMs
  let bytesLeft = maxBytes
  let hasBegun = false
  let isPaused = false
  let receivedAt = performance.now()
  let contentAt = receivedAt
  let timer = setTimeout(check, limit)

  const onAbort = () => end(undefined)
  if (caller.aborted) onAbort()
  else caller.addEventListener('abort', onAbort, { once: true })

  function check() {
    const now = performance.now()
    const left = isPaused ? limit : Math.min(receivedAt + limit - now, contentAt + limit * PING_FACTOR - now)
    if (left <= 0) end('silent')
    else timer = setTimeout(check, left)
  }

  function end(why: Watchdog['reason']) {
    clearTimeout(timer)
    caller.removeEventListener('abort', onAbort)
    if (controller.signal.aborted) return
    reason = why
    controller.abort()
  }

  return {
    signal: controller.signal,
    get reason() {
      return reason
    },
    recordBytes(bytes) {
      receivedAt = performance.now()
      if (!hasBegun) {
        hasBegun = true
        limit = patience.idleMs
        clearTimeout(timer)
        timer = setTimeout(check, limit)
      }
      bytesLeft -= bytes
      if (bytesLeft < 0) end('endless')
    },
    pause() {
      isPaused = true
    },
    resume() {
      isPaused = false
      receivedAt = performance.now()
      contentAt = receivedAt
    },
    stop: () => end(undefined),
  }
}

/** Fetches without redirects, rejects web pages, and reports every byte to the watchdog. */
export function createWatchedFetch(watchdog: Pick<Watchdog, 'recordBytes'>): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'manual' })
    watchdog.recordBytes(0)
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel()
      const location = response.headers.get('location') ?? ''
      throw new RedirectError(URL.parse(location, response.url)?.host ?? 'another address')
    }
    if (!response.body) return response
    const { status, statusText, headers } = response
    const reader = response.body.getReader()
    return new Response(watchBody(reader, watchdog, response.ok), { status, statusText, headers })
  }
}

function watchBody(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  watchdog: Pick<Watchdog, 'recordBytes'>,
  isSuccess: boolean,
): ReadableStream<Uint8Array> {
  let isOpening = isSuccess
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read()
      if (done) return controller.close()
      watchdog.recordBytes(value.byteLength)
      const first = isOpening ? value.find((byte) => !BLANK.includes(byte)) : undefined
      if (first === MARKUP) {
        await reader.cancel()
        throw new UnexpectedResponseError()
      }
      if (first !== undefined) isOpening = false
      return controller.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

/** Neither JSON nor an event stream begins with it. The content type does not count: some servers call every response HTML. */
const [MARKUP] = Buffer.from('<')
/** White space, and the bytes of a byte order mark. */
const BLANK = Buffer.from(' \t\r\n\uFEFF')
