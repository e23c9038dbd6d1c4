import { spawn } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import type { Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'

/** Marks a call's processes, to find one that left its parent and group. */
export const MARK_VARIABLE = 'PARLEY_CALL'

export interface ProcessTree {
  /** The started process, which leads its own group. */
  readonly leader: number
  readonly mark: string
}

const GRACE_MS = 2_000
const POLL_MS = 20
const MAX_ROUNDS = 50

/** Stops all processes of a call: SIGTERM first, then SIGKILL. */
export async function endProcesses(tree: ProcessTree): Promise<void> {
  const known: KnownProcesses = new Map()
  const signalled = new Set<number>()
  for (let waited = 0; waited < GRACE_MS; waited += POLL_MS) {
    const alive = findMembers(tree, known)
    if (alive.length === 0) break
    // A terminating process may start others, which get the signal too.
    for (const pid of alive.filter((each) => !signalled.has(each))) sendSignal(pid, 'SIGTERM')
    alive.forEach((pid) => signalled.add(pid))
    await pause(POLL_MS)
  }
  // Reading the process list is not atomic, so it is read once more.
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const alive = findMembers(tree, known)
    if (alive.length === 0) return
    for (const pid of alive) sendSignal(pid, 'SIGKILL')
    await pause(POLL_MS)
  }
}

/** The start time of each process, to detect reused process ids. */
type KnownProcesses = Map<number, string>

function sendSignal(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has already ended.
  }
}

/** The live processes of a tree; without /proc, a negative number means the whole group. */
function findMembers({ leader, mark }: ProcessTree, known: KnownProcesses): readonly number[] {
  const all = process.platform === 'linux' ? listProcesses() : undefined
  if (!all) return isGroupAlive(leader) ? [-leader] : []
  const started = new Map(all.map((each) => [each.pid, each.started]))
  for (const [pid, at] of known) if (started.get(pid) !== at) known.delete(pid)
  const learn = (isMember: (each: RunningProcess) => boolean) =>
    all.filter(isMember).forEach((each) => known.set(each.pid, each.started))

  learn(({ pid, group }) => group === leader || carriesMark(pid, mark))
  for (let before = -1; before !== known.size;) {
    before = known.size
    learn(({ parent }) => known.has(parent))
  }
  return [...known.keys()]
}

interface RunningProcess {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly started: string
}

function listProcesses(): readonly RunningProcess[] | undefined {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => readProcess(Number(name)) ?? [])
  } catch {
    return undefined
  }
}

function readProcess(pid: number): RunningProcess | undefined {
  const text = readFileOrEmpty(`/proc/${pid}/stat`)
  if (text === '') return undefined
  // The program's name is in brackets and may contain brackets and spaces.
  const [state = 'X', parent, group, ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const hasEnded = state === 'Z' || state === 'X'
  return hasEnded ? undefined : { pid, parent: Number(parent), group: Number(group), started: rest[16] ?? '' }
}

const carriesMark = (pid: number, mark: string): boolean =>
  readFileOrEmpty(`/proc/${pid}/environ`).split('\0').includes(`${MARK_VARIABLE}=${mark}`)

function readFileOrEmpty(file: string): string {
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

interface GuardedTree {
  /** Call once the first process has started. */
  readonly setLeader: (pid: number) => void
  /** Call once all processes have ended, or none was started. */
  readonly release: () => void
}

/** Leader process ids by mark; empty until the leader has started. */
const live = new Map<string, number | ''>()
let reaper: Writable | undefined

/**
 * Makes a process tree end with this process, even if this one is killed: a small helper process knows all marks and
 * stops their processes. It learns a mark before the first process with it is started.
 */
export function guardTree(mark: string): GuardedTree {
  const setLeader = (leader: number | '') => {
    live.set(mark, leader)
    if (reaper) reaper.write(formatTreeLine(mark, leader))
    else reaper = startReaper()
  }
  setLeader('')
  return {
    setLeader,
    release() {
      live.delete(mark)
      reaper?.write(`- ${mark}\n`)
    },
  }
}

const formatTreeLine = (mark: string, leader: number | '') => `+ ${mark} ${leader}\n`

/** In its own session, out of reach of terminal signals, and without our environment. */
function startReaper(): Writable {
  const child = spawn(process.execPath, ['-e', REAPER_SCRIPT], {
    cwd: '/',
    env: {},
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  const { stdin } = child
  const lost = () => {
    if (reaper === stdin) reaper = undefined
  }
  child.on('error', lost)
  child.on('exit', lost)
  stdin.on('error', lost)
  // Neither keeps this process alive.
  child.unref()
  if ('unref' in stdin && typeof stdin.unref === 'function') stdin.unref()
  for (const [mark, leader] of live) stdin.write(formatTreeLine(mark, leader))
  return stdin
}

/**
 * The helper's program, as text, so it needs no file. Its input lines are `+ mark`, `+ mark leader` or `- mark`. The
 * input ends with our process; then the helper stops all processes that it still knows, and exits.
 */
const REAPER_SCRIPT = String.raw`
'use strict'
const { readdirSync, readFileSync } = require('node:fs')
const live = new Map()

function read(file) {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}

function processOf(pid) {
  const text = read('/proc/' + pid + '/stat')
  const [state, parent, group, ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ')
  if (text === '' || state === 'Z' || state === 'X') return undefined
  return { pid, parent: Number(parent), group: Number(group), started: rest[16] }
}

function markOf(pid) {
  const found = read('/proc/' + pid + '/environ').split('\0').find((entry) => entry.startsWith('PARLEY_CALL='))
  return found === undefined ? undefined : found.slice('PARLEY_CALL='.length)
}

function send(pid, signal) {
  try {
    process.kill(pid, signal)
    return true
  } catch {
    return false
  }
}

function members() {
  if (process.platform !== 'linux')
    return [...live.values()].flatMap(({ leader }) => (leader > 0 && send(-leader, 0) ? [-leader] : []))
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).flatMap((name) => processOf(Number(name)) ?? [])
  const marked = all.filter(({ pid }) => live.has(markOf(pid)))
  // A group id may be reused: it counts only while its leader or a marked process is in the group.
  const groups = new Set(marked.map(({ group }) => group))
  for (const { leader, started } of live.values())
    if (all.some((each) => each.pid === leader && each.started === started)) groups.add(leader)
  const known = new Set([...marked, ...all.filter(({ group }) => groups.has(group))].map(({ pid }) => pid))
  for (let before = -1; before !== known.size; ) {
    before = known.size
    for (const { pid, parent } of all) if (known.has(parent)) known.add(pid)
  }
  known.delete(process.pid)
  return [...known]
}

function end(round) {
  const alive = live.size === 0 ? [] : members()
  // A process that is just being started has its mark a moment later.
  if ((alive.length === 0 && round > 10) || live.size === 0 || round > 100) process.exit(0)
  for (const pid of alive) send(pid, round < 20 ? 'SIGTERM' : 'SIGKILL')
  setTimeout(end, 50, round + 1)
}

let rest = ''
process.stdin.setEncoding('utf8')
process.stdin.on('data', (text) => {
  const lines = (rest + text).split('\n')
  rest = lines.pop()
  for (const line of lines) {
    const [what, mark, leader] = line.split(' ')
    if (what === '+') live.set(mark, { leader: Number(leader), started: processOf(Number(leader))?.started })
    else live.delete(mark)
  }
})
process.stdin.on('end', () => end(0))
process.stdin.on('error', () => end(0))
for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM']) process.on(signal, () => {})
`
