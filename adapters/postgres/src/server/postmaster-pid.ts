import { randomUUID } from 'node:crypto'
import { readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Cluster } from './cluster.ts'
import { commandOf, isAlive } from './processes.ts'
import { codeOf } from './unavailable.ts'

export interface Postmaster {
  readonly pid: number
  readonly port: number
  readonly status: 'starting' | 'ready' | 'stopping'
}

/** The server that runs on this data folder now, as its postmaster.pid tells. */
export async function runningPostmaster(data: string): Promise<Postmaster | undefined> {
  const left = await readPostmaster(data)
  return left && (await isPostmaster(left.pid, data)) ? left : undefined
}

/** What stands in postmaster.pid, true or left behind. */
export async function readPostmaster(data: string): Promise<Postmaster | undefined> {
  return parsePostmaster(await readLockFile(data))
}

/** Told by the command line: a zombie has none, and a reused process id has another. */
export async function isPostmaster(pid: number, data: string): Promise<boolean> {
  return `${await commandOf(pid)} `.includes(`postgres -D ${data} `)
}

/**
 * Postgres clears away the file of a dead process itself, but refuses to start over an empty one
 * or when the process id has gone to another program of the same user.
 */
export async function setAsideStalePidFile({ data }: Pick<Cluster, 'data'>): Promise<void> {
  const seen = await readLockFile(data)
  if (seen === undefined || !(await isMisleading(seen, data))) return

  const path = lockFile(data)
  const aside = `${path}.${randomUUID()}`
  try {
    await rename(path, aside)
    // Another process may have started the server meanwhile: then this file is not the one we judged.
    if ((await readFile(aside, 'utf8')) === seen) await rm(aside)
    else await rename(aside, path)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}

// pid, data folder, start time, port, socket folder, address, shared memory, status: a line each, written bit by bit
function parsePostmaster(content = ''): Postmaster | undefined {
  const lines = content.split('\n')
  const [pid, port] = [Number(lines[0]), Number(lines[3])]
  return pid > 0 ? { pid, port, status: parseStatus(lines[7]) } : undefined
}

function parseStatus(line = ''): Postmaster['status'] {
  const word = line.trim()
  return word === 'ready' || word === 'stopping' ? word : 'starting'
}

async function isMisleading(content: string, data: string): Promise<boolean> {
  const named = parsePostmaster(content)
  if (named) return isAlive(named.pid) && !(await isPostmaster(named.pid, data))
  const { mtimeMs } = await stat(lockFile(data))
  return Date.now() - mtimeMs > 2_000
}

const lockFile = (data: string) => join(data, 'postmaster.pid')

async function readLockFile(data: string): Promise<string | undefined> {
  try {
    return await readFile(lockFile(data), 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}
