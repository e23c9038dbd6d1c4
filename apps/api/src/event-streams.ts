import { type PersonId, PlatformError, type SessionEvent } from '@parley/contracts'
import { eventStream } from './sse.ts'

/** How many streams one person may have open at one process. */
const MOST_OF_ONE = 1_000

/** Event streams over HTTP, counted by whose they are. */
export function createEventStreams(
  readers: { readonly inc: () => void; readonly dec: () => void },
  mostOfOne = MOST_OF_ONE,
) {
  const open = new Map<PersonId, number>()
  const count = (personId: PersonId, change: 1 | -1) => {
    const now = (open.get(personId) ?? 0) + change
    if (now > 0) open.set(personId, now)
    else open.delete(personId)
  }

  /** Throws `rate_limited` where a person has as many as they may. */
  const admit = (personId: PersonId) => {
    if ((open.get(personId) ?? 0) < mostOfOne) return
    throw new PlatformError('rate_limited', {
      message: `You have ${mostOfOne} event streams open here, which is the most. Close some and try again.`,
    })
  }

  return {
    admit,

    answer(personId: PersonId, source: (signal: AbortSignal) => AsyncGenerator<SessionEvent>): Response {
      admit(personId)
      const abort = new AbortController()
      const { signal } = abort
      count(personId, 1)
      readers.inc()
      signal.addEventListener('abort', () => {
        count(personId, -1)
        readers.dec()
      })
      return eventStream(source(signal), abort)
    },
  }
}
