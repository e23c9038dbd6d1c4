export interface Patience {
  /** Resolves after so many milliseconds, or once the signal aborts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  /** Of who asks. */
  readonly signal?: AbortSignal
}

/** What was looked for, unless the time is up first. Throws the reason of who asks, where they no longer do. */
export async function withinBudget<Outcome>(
  look: (signal: AbortSignal) => Promise<Outcome>,
  budgetMs: number,
  { wait, signal }: Patience,
): Promise<Outcome | 'too late'> {
  const looking = new AbortController()
  const waiting = new AbortController()
  const giveUp = () => {
    looking.abort(signal?.reason)
    waiting.abort()
  }
  signal?.addEventListener('abort', giveUp, { once: true })
  if (signal?.aborted) giveUp()
  const lateness = wait(budgetMs, waiting.signal).then(tooLate, tooLate)
  try {
    const found = await Promise.race([untilAborted(look(looking.signal), looking.signal), lateness])
    if (signal?.aborted) throw signal.reason
    return found
  } finally {
    // What is still looked for then is of no use to anybody.
    looking.abort('too late')
    waiting.abort()
    signal?.removeEventListener('abort', giveUp)
  }
}

const tooLate = () => 'too late' as const

/** A search that was given up may fail however it likes. */
async function untilAborted<Outcome>(
  outcome: Promise<Outcome>,
  signal: AbortSignal,
): Promise<Outcome | 'too late'> {
  try {
    return await outcome
  } catch (failure) {
    if (signal.aborted) return 'too late'
    throw failure
  }
}
