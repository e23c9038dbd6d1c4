import type { SessionId, TurnId } from '@parley/contracts'
import type { Lease } from '@parley/engine'
import type { Presence } from '../presence.ts'
import type { Run } from '../run-statements.ts'
import { REQUEST_CANCEL, FIND_CANCEL_REQUESTS } from './statements.ts'

type Turn = Pick<Lease, 'sessionId' | 'turnId'>

const NOTICE = 'cancel '
const MAX_ANNOUNCED = 1_000

/** Carries cancel requests to the process that runs the turn. The row holds the request; a notice only asks to read it. */
export function createCancelWatch(run: Run, presence: Presence) {
  /** Turns named by notices before they were watched: a request may arrive while the turn is being opened. */
  const announced = new Set<TurnId>()
  const watched = new Map<TurnId, { readonly sessionId: SessionId; readonly cancel: () => void }>()

  const readRequests = async (sessionIds: readonly SessionId[]) => {
    if (sessionIds.length === 0) return
    const rows = await run<{ lease_turn_id: TurnId }>(FIND_CANCEL_REQUESTS, [sessionIds])
    for (const { lease_turn_id } of rows) watched.get(lease_turn_id)?.cancel()
  }

  const rememberAnnounced = (turnId: TurnId) => {
    announced.add(turnId)
    const [oldest] = announced
    if (announced.size > MAX_ANNOUNCED && oldest !== undefined) announced.delete(oldest)
  }

  presence.listen({
    onNotice(notice) {
      if (!notice.startsWith(NOTICE)) return
      const turnId = notice.slice(NOTICE.length) as TurnId
      const turn = watched.get(turnId)
      // A failed read is repeated when the connection returns.
      if (turn) void readRequests([turn.sessionId]).catch(() => {})
      else rememberAnnounced(turnId)
    },
    onReturn() {
      void readRequests([...watched.values()].map(({ sessionId }) => sessionId)).catch(() => {})
    },
  })

  return {
    async request({ sessionId, turnId }: Turn): Promise<boolean> {
      const [row] = await run(REQUEST_CANCEL, [sessionId, turnId])
      if (!row) return false
      await presence.ensureKey()
      presence.notify(`${NOTICE}${turnId}`)
      return true
    },

    watch({ sessionId, turnId }: Lease, cancel: () => void): () => void {
      watched.set(turnId, { sessionId, cancel })
      if (announced.delete(turnId)) void readRequests([sessionId]).catch(() => {})
      return () => {
        if (watched.get(turnId)?.cancel === cancel) watched.delete(turnId)
      }
    },
  }
}
