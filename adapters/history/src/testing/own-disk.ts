import { execFile, execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Outcome } from './run-disk-process.ts'

const PROGRAM = fileURLToPath(new URL('run-disk-process.ts', import.meta.url))

/** A small disk is mounted on the folder for one process, and is gone with it. */
const MOUNT = 'mount -t tmpfs -o size=1m,mode=700 tmpfs "$1" && shift && exec "$@"'

/** Why this machine cannot give a process a disk of its own; undefined where it can. */
export function whyNoOwnDisk(): string | undefined {
  try {
    execFileSync('unshare', ['-rm', 'sh', '-c', MOUNT, 'sh', '/mnt', 'true'], { stdio: 'pipe' })
    return undefined
  } catch (error) {
    return `this machine does not let a process mount a disk of its own: ${String(error)}`
  }
}

/** What comes of a history on a disk that fills up, or that can only be read from some point on. */
export async function onOwnDisk(folder: string, scenario: 'full' | 'read-only'): Promise<readonly Outcome[]> {
  const program = [process.execPath, PROGRAM, folder, scenario]
  const args = ['-rm', 'sh', '-c', MOUNT, 'sh', folder, ...program]
  const { stdout } = await promisify(execFile)('unshare', args)
  return JSON.parse(stdout)
}
