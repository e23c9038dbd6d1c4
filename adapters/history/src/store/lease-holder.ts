import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** Names one open store of this process: `pid:start:suffix`. */
export const newLeaseHolder = (): string => `${OWN_PROCESS}:${randomBytes(6).toString('hex')}`

/** Whether the process of the holder still runs. A process id alone will not do: they are given out again. */
export function isAlive(holder: string): boolean {
  const [pid = '', start = ''] = holder.split(':')
  if (`${pid}:${start}` === OWN_PROCESS) return true
  return start === '' ? isRunning(Number(pid)) : startOf(Number(pid)) === start
}

/** When the process was started, in the kernel's ticks; only Linux tells, and a zombie does not count. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name before the last bracket is the program's own choice and may look like anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19]
  } catch {
    return undefined
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

const OWN_PROCESS = `${process.pid}:${startOf(process.pid) ?? ''}`
