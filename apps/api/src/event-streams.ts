import { type PersonId, PlatformError, type SessionEvent } from '@parley/contracts'
import { VISITOR_CAPS } from '@parley/reflections'
import { type Entrant, type FindCaller, isStillAuthorized } from './auth/authenticate.ts'
import { eventStream } from './sse.ts'

export interface EventStreamsOptions {
  readonly readers: { readonly inc: () => void; readonly dec: () => void }
  readonly findCaller: FindCaller
  /** The limit of open streams of one person in one process. */
  readonly maxPerPerson?: number
  /** The interval between checks of the readers' access. */
  readonly recheckMs?: number
}

/** Event streams over HTTP. Each person has a limit, and a stream ends when its reader loses access. */
export function createEventStreams({
  readers,
  findCaller,
  maxPerPerson = 1_000,
  recheckMs = 3_000,
}: EventStreamsOptions) {
  const open = new Map<PersonId, number>()
  const entries = createEntryTable(findCaller, recheckMs)
  const changeCount = (personId: PersonId, change: 1 | -1) => {
    const count = (open.get(personId) ?? 0) + change
    if (count > 0) open.set(personId, count)
    else open.delete(personId)
  }

  /** Throws `rate_limited` if the person has no stream left. */
  const refuseAtLimit = ({ personId, sessionId }: Entrant) => {
    const most = sessionId === undefined ? maxPerPerson : VISITOR_CAPS.streamsAtOnce
    if ((open.get(personId) ?? 0) < most) return
    throw new PlatformError('rate_limited', {
      message: `You have ${most} event streams open here, the maximum. Close some and try again.`,
    })
  }

  return {
    refuseAtLimit,

    answer(
      caller: Entrant,
      source: (signal: AbortSignal) => AsyncGenerator<SessionEvent>,
      mayStay?: () => Promise<boolean>,
    ): Response {
      refuseAtLimit(caller)
      const abort = new AbortController()
      const { signal } = abort
      changeCount(caller.personId, 1)
      readers.inc()
      entries.add(caller, { abort, ...(mayStay && { mayStay }) })
      signal.addEventListener('abort', () => {
        changeCount(caller.personId, -1)
        readers.dec()
        entries.remove(caller, abort)
      })
      return eventStream(source(signal), abort)
    },
  }
}

interface Entry {
  readonly caller: Entrant
  readonly streams: Map<AbortController, Stream>
}

interface Stream {
  readonly abort: AbortController
  /** A check beside that of the token. */
  readonly mayStay?: () => Promise<boolean>
}

/** The streams of each token. Access is checked once for all of them. */
function createEntryTable(findCaller: FindCaller, recheckMs: number) {
  const entries = new Map<string, Entry>()
  let timer: NodeJS.Timeout | undefined

  async function recheck({ caller, streams }: Entry): Promise<void> {
    // A database that does not answer revokes nothing.
    const isAuthorized = await isStillAuthorized(caller, findCaller).catch(() => true)
    await Promise.all(
      [...streams.values()].map(async ({ abort, mayStay }) => {
        if (!isAuthorized || (await mayStay?.().catch(() => true)) === false) abort.abort()
      }),
    )
  }

  async function recheckAll(): Promise<void> {
    await Promise.all([...entries.values()].map(recheck))
    timer = undefined
    if (entries.size > 0) plan()
  }

  function plan(): void {
    timer ??= setTimeout(() => void recheckAll(), recheckMs).unref()
  }

  return {
    add(caller: Entrant, stream: Stream): void {
      const key = getEntryKey(caller)
      const entry = entries.get(key) ?? { caller, streams: new Map() }
      entry.streams.set(stream.abort, stream)
      entries.set(key, entry)
      plan()
    },
    remove(caller: Entrant, abort: AbortController): void {
      const entry = entries.get(getEntryKey(caller))
      entry?.streams.delete(abort)
      if (entry?.streams.size === 0) entries.delete(getEntryKey(caller))
    },
  }
}

const getEntryKey = ({ tokenHash, role }: Entrant) => `${tokenHash.toString('hex')} ${role}`
