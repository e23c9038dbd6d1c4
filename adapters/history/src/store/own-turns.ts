import type { OpenTurn, SessionId } from '@parley/contracts'
import type { Lease } from '@parley/engine'
import { isAlive, newLeaseHolder } from './lease-holder.ts'
import type { TurnRow } from './rows.ts'

/** One stays as `given up` where that could not be written. */
interface OwnTurn {
  readonly epoch: number
  readonly state: 'running' | 'given up'
}

type OwnLease = Pick<Lease, 'sessionId' | 'epoch'>

export type OwnTurns = ReturnType<typeof createOwnTurns>

/** The turns whose leases this store holds. */
export function createOwnTurns() {
  const holder = newLeaseHolder()
  const turns = new Map<SessionId, OwnTurn>()

  const isRunning = ({ id, lease_epoch, lease_holder }: TurnRow): boolean => {
    if (lease_holder !== holder) return lease_holder !== null && isAlive(lease_holder)
    const own = turns.get(id)
    return own?.epoch === lease_epoch && own.state === 'running'
  }

  return {
    holder,
    /** Those whose rows may still name this holder. */
    list: () => [...turns].map(([sessionId, { epoch }]): OwnLease => ({ sessionId, epoch })),
    hold: ({ sessionId, epoch }: OwnLease) => void turns.set(sessionId, { epoch, state: 'running' }),
    giveUp({ sessionId, epoch }: OwnLease) {
      if (turns.get(sessionId)?.epoch === epoch) turns.set(sessionId, { epoch, state: 'given up' })
    },
    forget({ sessionId, epoch }: OwnLease) {
      if (turns.get(sessionId)?.epoch === epoch) turns.delete(sessionId)
    },
    /** The session's open turn, as it stands. */
    openTurnOf(row: TurnRow): OpenTurn | undefined {
      const { lease_turn_id: turnId, turn_waits } = row
      if (turnId === null) return undefined
      if (turn_waits === 1) return { turnId, state: 'waiting' }
      return { turnId, state: isRunning(row) ? 'running' : 'interrupted' }
    },
  }
}
