import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

/** A call's processes carry this variable, so that one that left its parent and its group is still known. */
export const MARK = 'PARLEY_CALL'

export interface ProcessTree {
  /** The process that was started, which leads a group of its own. */
  readonly leader: number
  readonly mark: string
}

const GRACE_MS = 2_000
const POLL_MS = 20
const MOST_ROUNDS = 50

/** Ends all processes of a call: first they are asked to, then they are made to. */
export async function endProcesses(tree: ProcessTree): Promise<void> {
  const known: Known = new Map()
  const asked = new Set<number>()
  for (let waited = 0; waited < GRACE_MS; waited += POLL_MS) {
    const alive = membersOf(tree, known)
    if (alive.length === 0) break
    // Who is asked to end may start others meanwhile; those are asked as well.
    for (const pid of alive.filter((each) => !asked.has(each))) send(pid, 'SIGTERM')
    alive.forEach((pid) => asked.add(pid))
    await wait(POLL_MS)
  }
  // The list of processes is not read at one moment, so that none is left is found once more here.
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const alive = membersOf(tree, known)
    if (alive.length === 0) return
    for (const pid of alive) send(pid, 'SIGKILL')
    await wait(POLL_MS)
  }
}

/** When each process began: a number that was given to another one since is not the one that was known. */
type Known = Map<number, string>

function send(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended by itself.
  }
}

/** Who is alive of a tree; a negative number stands for a whole group, where the system has no /proc. */
function membersOf({ leader, mark }: ProcessTree, known: Known): readonly number[] {
  const all = process.platform === 'linux' ? listProcesses() : undefined
  if (!all) return isGroupAlive(leader) ? [-leader] : []
  const started = new Map(all.map((each) => [each.pid, each.started]))
  for (const [pid, at] of known) if (started.get(pid) !== at) known.delete(pid)
  const learn = (isMember: (each: Process) => boolean) =>
    all.filter(isMember).forEach((each) => known.set(each.pid, each.started))

  learn(({ pid, group }) => group === leader || carries(pid, mark))
  for (let before = -1; before !== known.size;) {
    before = known.size
    learn(({ parent }) => known.has(parent))
  }
  return [...known.keys()]
}

interface Process {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly started: string
}

function listProcesses(): readonly Process[] | undefined {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => processOf(Number(name)) ?? [])
  } catch {
    return undefined
  }
}

function processOf(pid: number): Process | undefined {
  const text = read(`/proc/${pid}/stat`)
  if (text === '') return undefined
  // The program's name stands in brackets and may itself hold brackets and spaces.
  const [state = 'X', parent, group, ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const hasEnded = state === 'Z' || state === 'X'
  return hasEnded ? undefined : { pid, parent: Number(parent), group: Number(group), started: rest[16] ?? '' }
}

const carries = (pid: number, mark: string): boolean =>
  read(`/proc/${pid}/environ`).split('\0').includes(`${MARK}=${mark}`)

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}

function isGroupAlive(leader: number): boolean {
  try {
    process.kill(-leader, 0)
    return true
  } catch {
    return false
  }
}
