import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFile, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Cluster } from './cluster.ts'
import { getErrorCode, createUnavailableError } from '../login/database-error.ts'

export interface Postmaster {
  readonly pid: number
  readonly port: number
  readonly status: 'starting' | 'ready' | 'stopping'
}

/** The running server of this data folder, from its postmaster.pid. */
export async function findRunningPostmaster(data: string): Promise<Postmaster | undefined> {
  const postmaster = await readPostmasterFile(data)
  return postmaster && (await isPostmaster(postmaster.pid, data)) ? postmaster : undefined
}

/** The content of postmaster.pid, which may be stale. */
export async function readPostmasterFile(data: string): Promise<Postmaster | undefined> {
  return parsePostmaster(await readLockFile(data))
}

/** Compares the command line: a zombie has none, and a reused process id has another. */
export async function isPostmaster(pid: number, data: string): Promise<boolean> {
  return `${await readCommand(pid)} `.includes(`postgres -D ${data} `)
}

/**
 * Postgres removes the file of a dead process itself, but does not start with an empty one, or when another program of
 * the same user has the process id.
 */
export async function setAsideStalePidFile({ data }: Pick<Cluster, 'data'>): Promise<void> {
  const checked = await readLockFile(data)
  if (checked === undefined || !(await isMisleading(checked, data))) return

  const path = toLockFilePath(data)
  const aside = `${path}.${randomUUID()}`
  try {
    await rename(path, aside)
    // Another process may have started the server: then this is not the file we checked.
    if ((await readFile(aside, 'utf8')) === checked) await rm(aside)
    else await rename(aside, path)
  } catch (error) {
    if (getErrorCode(error) !== 'ENOENT') throw error
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
  const postmaster = parsePostmaster(content)
  if (postmaster) return isProcessAlive(postmaster.pid) && !(await isPostmaster(postmaster.pid, data))
  const { mtimeMs } = await stat(toLockFilePath(data))
  return Date.now() - mtimeMs > 2_000
}

const toLockFilePath = (data: string) => join(data, 'postmaster.pid')

async function readLockFile(data: string): Promise<string | undefined> {
  try {
    return await readFile(toLockFilePath(data), 'utf8')
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

const PATIENCE_MS = 10_000

/** Ends open sessions and stops; after a timeout it stops at once and leaves the rest to crash recovery. */
export async function stopPostmaster(pid: number, { data }: Cluster): Promise<void> {
  for (const name of ['SIGINT', 'SIGQUIT'] as const) {
    const deadline = Date.now() + PATIENCE_MS
    if (await isPostmaster(pid, data)) sendSignal(pid, name)
    while (Date.now() < deadline) {
      if (!(await isPostmaster(pid, data))) return
      await pause(10)
    }
  }
  throw createUnavailableError(
    `The bundled Postgres (process ${pid}) does not stop. End that process by hand.`,
  )
}

/** A busy backend does not notice that its server was killed, and blocks the next one. */
export async function endOrphans({ name, data }: Cluster): Promise<void> {
  for (const { pid, parent, command } of await listProcesses()) {
    const isBackend = command.startsWith(`postgres: ${name}: `)
    if (isBackend && !(await isPostmaster(parent, data))) sendSignal(pid, 'SIGQUIT')
  }
}

interface OsProcess {
  readonly pid: number
  readonly parent: number
  /** Empty for a zombie. */
  readonly command: string
}

/** Linux uses /proc, since small images have no `ps`. */
async function listProcesses(): Promise<readonly OsProcess[]> {
  if (process.platform !== 'linux') return (await runPs('-ax')).map(parseProcessLine)
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0)
  return Promise.all(pids.map(readProcess))
}

async function readCommand(pid: number): Promise<string> {
  if (process.platform === 'linux') return (await readProcess(pid)).command
  return (await runPs('-p', String(pid))).map(parseProcessLine)[0]?.command ?? ''
}

export function isProcessAlive(pid: number): boolean {
  return sendSignal(pid, 0) !== 'gone'
}

export function sendSignal(pid: number, name: NodeJS.Signals | 0): 'sent' | 'gone' | 'not-ours' {
  try {
    process.kill(pid, name)
    return 'sent'
  } catch (error) {
    if (getErrorCode(error) === 'ESRCH') return 'gone'
    if (getErrorCode(error) === 'EPERM') return 'not-ours'
    throw error
  }
}

async function readProcess(pid: number): Promise<OsProcess> {
  try {
    const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ').trim()
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    return { pid, parent: Number(/^PPid:\s*(\d+)/m.exec(status)?.[1]), command }
  } catch {
    return { pid, parent: 0, command: '' }
  }
}

async function runPs(...which: readonly string[]): Promise<readonly string[]> {
  try {
    const { stdout } = await promisify(execFile)('ps', [...which, '-ww', '-o', 'pid=,ppid=,command='])
    return stdout.trim().split('\n')
  } catch {
    return []
  }
}

function parseProcessLine(line: string): OsProcess {
  const [, pid, parent, command = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
  return { pid: Number(pid), parent: Number(parent), command }
}
