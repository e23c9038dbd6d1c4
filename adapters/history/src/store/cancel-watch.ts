import type { SessionId } from '@parley/contracts'
import type { Lease } from '@parley/engine'

const INTERVAL_MS = 100

/** A turn whose cancelling was asked for. */
export interface AskedTurn {
  readonly id: SessionId
  readonly lease_epoch: number
}

interface Watch {
  readonly lease: Lease
  readonly cancel: () => void
}

/** Looks for what other processes ask, with one timer for all turns and none while there is no turn. */
export function createCancelWatch(findAsked: () => readonly AskedTurn[]) {
  const watches = new Set<Watch>()
  let timer: NodeJS.Timeout | undefined

  const tell = ({ id, lease_epoch }: AskedTurn) => {
    for (const watch of watches) {
      if (watch.lease.sessionId !== id || watch.lease.epoch !== lease_epoch) continue
      unwatch(watch)
      watch.cancel()
    }
  }

  const look = () => {
    let asked: readonly AskedTurn[] = []
    try {
      asked = findAsked()
    } catch {
      // The next look is soon; a file that cannot be read will stop the turn when it next writes.
    }
    for (const turn of asked) tell(turn)
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
    tell,
    stop,
    watch(lease: Lease, cancel: () => void): () => void {
      const watch = { lease, cancel }
      watches.add(watch)
      timer ??= setInterval(look, INTERVAL_MS).unref()
      return () => unwatch(watch)
    },
  }
}
