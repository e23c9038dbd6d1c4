/** How long a provider may be silent, in milliseconds. */
export interface Patience {
  readonly firstByteMs: number
  readonly idleMs: number
}

/** Ends a request that the provider no longer feeds, or feeds without end. */
export interface Watchdog {
  /** Aborts when the caller does, when the provider is silent for too long, and when all is done. */
  readonly signal: AbortSignal
  /** What the watchdog itself ended the request for. */
  readonly verdict: 'silent' | 'endless' | undefined
  heard(bytes: number): void
  /** While the caller handles an event, the provider's silence does not count. */
  rest(): void
  /** Something was said, and more is waited for. */
  wake(): void
  /** Ends the rest of the request. */
  stop(): void
}

/** How much longer signs of life without a word are borne than silence. */
const SIGNS_FACTOR = 10

export function watchdog(patience: Patience, maxBytes: number, caller: AbortSignal): Watchdog {
  const controller = new AbortController()
  let verdict: Watchdog['verdict']
  let limit = patience.firstByteMs
  let bytesLeft = maxBytes
  let hasHeard = false
  let isResting = false
  let heardAt = performance.now()
  let spokeAt = heardAt
  let timer = setTimeout(look, limit)

  const onAbort = () => end(undefined)
  if (caller.aborted) onAbort()
  else caller.addEventListener('abort', onAbort, { once: true })

  function listen() {
    hasHeard = true
    limit = patience.idleMs
    clearTimeout(timer)
    timer = setTimeout(look, limit)
  }

  function look() {
    const now = performance.now()
    const left = isResting ? limit : Math.min(heardAt + limit - now, spokeAt + limit * SIGNS_FACTOR - now)
    if (left <= 0) end('silent')
    else timer = setTimeout(look, left)
  }

  function end(why: Watchdog['verdict']) {
    clearTimeout(timer)
    caller.removeEventListener('abort', onAbort)
    if (controller.signal.aborted) return
    verdict = why
    controller.abort()
  }

  return {
    signal: controller.signal,
    get verdict() {
      return verdict
    },
    heard(bytes) {
      heardAt = performance.now()
      if (!hasHeard) listen()
      bytesLeft -= bytes
      if (bytesLeft < 0) end('endless')
    },
    rest() {
      isResting = true
    },
    wake() {
      isResting = false
      heardAt = performance.now()
      spokeAt = heardAt
    },
    stop: () => end(undefined),
  }
}
