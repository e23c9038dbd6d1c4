import type { SessionId } from '@parley/contracts'
import type { Lease } from '@parley/engine'

const INTERVAL_MS = 100

/** A turn with a request to cancel it. */
export interface CancelRequest {
  readonly id: SessionId
  readonly lease_epoch: number
}

interface Watch {
  readonly lease: Lease
  readonly cancel: () => void
}

/** Polls for cancel requests of other processes: one timer for all turns, none while there is no turn. */
export function createCancelWatch(findCancelRequests: () => readonly CancelRequest[]) {
  const watches = new Set<Watch>()
  let timer: NodeJS.Timeout | undefined

  const cancelTurn = ({ id, lease_epoch }: CancelRequest) => {
    for (const watch of watches) {
      if (watch.lease.sessionId !== id || watch.lease.epoch !== lease_epoch) continue
      unwatch(watch)
      watch.cancel()
    }
  }

  const poll = () => {
    let requests: readonly CancelRequest[] = []
    try {
      requests = findCancelRequests()
    } catch {
      // The next poll is soon; an unreadable file stops the turn at its next write.
    }
    for (const turn of requests) cancelTurn(turn)
  }

  const unwatch = (watch: Watch) => {
    watches.delete(watch)
    if (watches.size === 0) stop()
  }

  const stop = () => {
    clearInterval(timer)
    timer = undefined
    watches.clear()
  }

  return {
    cancelTurn,
    stop,
    watch(lease: Lease, cancel: () => void): () => void {
      const watch = { lease, cancel }
      watches.add(watch)
      timer ??= setInterval(poll, INTERVAL_MS).unref()
      return () => unwatch(watch)
    },
  }
}
