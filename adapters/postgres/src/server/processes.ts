import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { codeOf } from './unavailable.ts'

interface OsProcess {
  readonly pid: number
  readonly parent: number
  /** Empty for a zombie. */
  readonly command: string
}

/** Linux tells by /proc, since small images have no `ps`; other systems have one. */
export async function listProcesses(): Promise<readonly OsProcess[]> {
  if (process.platform !== 'linux') return (await ps('-ax')).map(parseLine)
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0)
  return Promise.all(pids.map(readProcess))
}

export async function commandOf(pid: number): Promise<string> {
  if (process.platform === 'linux') return (await readProcess(pid)).command
  return (await ps('-p', String(pid))).map(parseLine)[0]?.command ?? ''
}

export function isAlive(pid: number): boolean {
  return signal(pid, 0) !== 'gone'
}

export function signal(pid: number, name: NodeJS.Signals | 0): 'sent' | 'gone' | 'not-ours' {
  try {
    process.kill(pid, name)
    return 'sent'
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return 'gone'
    if (codeOf(error) === 'EPERM') return 'not-ours'
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

async function ps(...which: readonly string[]): Promise<readonly string[]> {
  try {
    const { stdout } = await promisify(execFile)('ps', [...which, '-ww', '-o', 'pid=,ppid=,command='])
    return stdout.trim().split('\n')
  } catch {
    return []
  }
}

function parseLine(line: string): OsProcess {
  const [, pid, parent, command = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
  return { pid: Number(pid), parent: Number(parent), command }
}
