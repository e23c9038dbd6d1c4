import { execFile, execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { DiskStepResult } from './run-disk-process.ts'

const PROGRAM = fileURLToPath(new URL('run-disk-process.ts', import.meta.url))

/** Mounts a small disk on the folder, for one process. */
const MOUNT = 'mount -t tmpfs -o size=1m,mode=700 tmpfs "$1" && shift && exec "$@"'

/** The reason if this machine cannot mount a disk for one process. */
export function explainMissingDisk(): string | undefined {
  try {
    execFileSync('unshare', ['-rm', 'sh', '-c', MOUNT, 'sh', '/mnt', 'true'], { stdio: 'pipe' })
    return undefined
  } catch (error) {
    return `this machine does not let a process mount a disk: ${String(error)}`
  }
}

/** The results of using a history on a disk that fills up or becomes read-only. */
export async function runOnOwnDisk(
  folder: string,
  scenario: 'full' | 'read-only',
): Promise<readonly DiskStepResult[]> {
  const program = [process.execPath, PROGRAM, folder, scenario]
  const args = ['-rm', 'sh', '-c', MOUNT, 'sh', folder, ...program]
  const { stdout } = await promisify(execFile)('unshare', args)
  return JSON.parse(stdout)
}
