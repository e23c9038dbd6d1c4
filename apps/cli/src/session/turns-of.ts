import type { SessionId, SessionMessage } from '@parley/contracts'
import type { reconstructSessionState, SessionStore } from '@parley/engine'
import { withMarkers } from './with-markers.ts'

const PAGE = { limit: 500, maxBytes: 4_000_000 }

type Turn = ReturnType<typeof reconstructSessionState>[number]

/** A session's turns from the first on, read page by page. */
export async function* turnsOf(
  store: Pick<SessionStore, 'readMessages'>,
  sessionId: SessionId,
): AsyncGenerator<Turn> {
  let unfinished: readonly SessionMessage[] = []
  let after = 0
  for (;;) {
    const page = await store.readMessages(sessionId, { after, ...PAGE })
    const turns = withMarkers([...unfinished, ...page])
    const last = page.at(-1)
    if (!last) {
      yield* turns
      return
    }
    // The last turn may go on with the next page.
    yield* turns.slice(0, -1)
    unfinished = turns.at(-1)?.messages ?? []
    after = last.sequenceNumber
  }
}
