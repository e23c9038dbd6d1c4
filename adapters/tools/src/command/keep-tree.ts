import { spawn } from 'node:child_process'
import type { Writable } from 'node:stream'
import { KEEPER_SCRIPT } from './keeper-script.ts'

export interface KeptTree {
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
