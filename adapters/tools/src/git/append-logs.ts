import { constants } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { makeFolder, type OpenFolder, openFolder } from '../fs/open-folder.ts'
import type { StandIn } from './with-stand-in.ts'

/**
 * Adds what git noted of a branch's move in the stand-in to the repository's own notes. What is opened is what is
 * looked at, so nothing that is put in the way meanwhile is written to. Whether all of it could be done.
 */
export async function appendLogs({ folder, repository }: StandIn, ref: string): Promise<boolean> {
  const { gitDir, commonDir } = repository
  const logs: readonly (readonly [string, string, string])[] = [
    [gitDir, 'logs/HEAD', 'HEAD'],
    [commonDir, `logs/${ref}`, ref],
  ]
  let isDone = true
  for (const [top, path, name] of logs) {
    const noted = await readFile(join(folder, 'logs', name)).catch(() => undefined)
    if (noted) isDone = (await append(top, path, noted).catch(() => false)) && isDone
  }
  return isDone
}

async function append(top: string, path: string, noted: Uint8Array): Promise<boolean> {
  const held: OpenFolder[] = [await openFolder(top)]
  try {
    let at = held[0]
    for (const name of dirname(path).split('/')) {
      if (!at) return false
      at = await makeFolder(at, name)
      held.push(at)
    }
    return at !== undefined && (await appendTo(at.at(basename(path)), noted))
  } finally {
    for (const folder of held) await folder.close()
  }
}

const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants

async function appendTo(file: string, noted: Uint8Array): Promise<boolean> {
  const handle = await open(file, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o666)
  try {
    const found = await handle.stat()
    if (!found.isFile() || found.nlink > 1) return false
    await handle.appendFile(noted)
    return true
  } finally {
    await handle.close()
  }
}
