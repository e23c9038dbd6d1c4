import { spawn } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import type { Writable } from 'node:stream'
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

interface KeptTree {
  /** Once its first process has started. */
  readonly leader: (pid: number) => void
  /** Once all of it has ended, or none of it was started. */
  readonly letGo: () => void
}

/** By their marks; the number is that of the leader, or nothing as long as there is none. */
const live = new Map<string, number | ''>()
let keeper: Writable | undefined

/**
 * Sees to it that processes end with this one, even where this one is killed and can see to nothing: a small process
 * beside it knows of them. It is told of a mark before the first process that carries it is started.
 */
export function keepTree(mark: string): KeptTree {
  const tell = (leader: number | '') => {
    live.set(mark, leader)
    if (keeper) keeper.write(lineOf(mark, leader))
    else keeper = startKeeper()
  }
  tell('')
  return {
    leader: tell,
    letGo() {
      live.delete(mark)
      keeper?.write(`- ${mark}\n`)
    },
  }
}

const lineOf = (mark: string, leader: number | '') => `+ ${mark} ${leader}\n`

/** In a session of its own, so that no key that is pressed reaches it, and with none of our variables. */
function startKeeper(): Writable {
  const child = spawn(process.execPath, ['-e', KEEPER_SCRIPT], {
    cwd: '/',
    env: {},
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  const { stdin } = child
  const lost = () => {
    if (keeper === stdin) keeper = undefined
  }
  child.on('error', lost)
  child.on('exit', lost)
  stdin.on('error', lost)
  // Neither keeps this process alive.
  child.unref()
  if ('unref' in stdin && typeof stdin.unref === 'function') stdin.unref()
  for (const [mark, leader] of live) stdin.write(lineOf(mark, leader))
  return stdin
}

/**
 * What the keeper runs: a program of its own, as text, so that it needs no file beside it. Each line that it is told
 * is `+ mark`, `+ mark leader` or `- mark`. Its input ends when the process that it belongs to does, however that came about;
 * then it ends all processes that it still knows of, and itself.
 */
const KEEPER_SCRIPT = String.raw`
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
  // A number of a group may be given away again: it counts while its leader, or one that is marked, is in it.
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
  // One that was being started when all ended shows its mark a moment later.
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
