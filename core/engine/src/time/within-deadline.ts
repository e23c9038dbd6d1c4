/** Resolves after so many milliseconds, or once the signal aborts. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>

/**
 * The result, or `too late`. Once the time is up the work is aborted, and its result dropped. Throws the abort reason if the
 * caller aborts.
 */
export async function withinDeadline<Outcome>(
  work: (signal: AbortSignal) => Promise<Outcome>,
  ms: number,
  wait: Wait,
  signal?: AbortSignal,
): Promise<Outcome | 'too late'> {
  const working = new AbortController()
  const waiting = new AbortController()
  const giveUp = () => waiting.abort()
  signal?.addEventListener('abort', giveUp, { once: true })
  if (signal?.aborted) giveUp()
  const late = wait(ms, waiting.signal).then(toTooLate, toTooLate)
  try {
    const outcome = await Promise.race([work(working.signal), late])
    if (signal?.aborted) throw signal.reason
    return outcome
  } finally {
    working.abort('too late')
    waiting.abort()
    signal?.removeEventListener('abort', giveUp)
  }
}

const toTooLate = () => 'too late' as const
