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
