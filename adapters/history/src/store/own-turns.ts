import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { OpenTurn, SessionId } from '@parley/contracts'
import type { Lease } from '@parley/engine'
import type { TurnRow } from './rows.ts'

/** It stays `given up` if that could not be written. */
interface OwnTurn {
  readonly epoch: number
  readonly state: 'running' | 'given up'
}

type OwnLease = Pick<Lease, 'sessionId' | 'epoch'>

export type OwnTurns = ReturnType<typeof createOwnTurns>

/** The turns whose leases this store holds. */
export function createOwnTurns() {
  const holder = createLeaseHolder()
  const turns = new Map<SessionId, OwnTurn>()

  const isRunningTurn = ({ id, lease_epoch, lease_holder }: TurnRow): boolean => {
    if (lease_holder !== holder) return lease_holder !== null && isHolderAlive(lease_holder)
    const own = turns.get(id)
    return own?.epoch === lease_epoch && own.state === 'running'
  }

  return {
    holder,
    /** Turns whose rows may still name this holder. */
    list: () => [...turns].map(([sessionId, { epoch }]): OwnLease => ({ sessionId, epoch })),
    hold: ({ sessionId, epoch }: OwnLease) => void turns.set(sessionId, { epoch, state: 'running' }),
    giveUp({ sessionId, epoch }: OwnLease) {
      if (turns.get(sessionId)?.epoch === epoch) turns.set(sessionId, { epoch, state: 'given up' })
    },
    forget({ sessionId, epoch }: OwnLease) {
      if (turns.get(sessionId)?.epoch === epoch) turns.delete(sessionId)
    },
    /** The session's open turn with its state. */
    getOpenTurn(row: TurnRow): OpenTurn | undefined {
      const { lease_turn_id: turnId, turn_waits } = row
      if (turnId === null) return undefined
      if (turn_waits === 1) return { turnId, state: 'waiting' }
      return { turnId, state: isRunningTurn(row) ? 'running' : 'interrupted' }
    },
  }
}

/** Names one open store of this process: `pid:start:suffix`. */
export const createLeaseHolder = (): string => `${OWN_PROCESS}:${randomBytes(6).toString('hex')}`

/** Whether the holder's process still runs. A process id alone is not enough: they are reused. */
export function isHolderAlive(holder: string): boolean {
  const [pid = '', start = ''] = holder.split(':')
  if (`${pid}:${start}` === OWN_PROCESS) return true
  return start === '' ? isProcessRunning(Number(pid)) : readStartTime(Number(pid)) === start
}

/** The start time of the process in kernel ticks, only on Linux; undefined for a zombie. */
function readStartTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The program chooses the name before the last bracket; it may look like anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19]
  } catch {
    return undefined
  }
}

function isProcessRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

const OWN_PROCESS = `${process.pid}:${readStartTime(process.pid) ?? ''}`
