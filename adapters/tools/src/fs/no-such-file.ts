import { readdir } from 'node:fs/promises'
import { nearest } from '@parley/contracts'
import { refuse, type Refusal } from '@parley/engine'
import { openFolder } from './open-folder.ts'
import { printablePath } from './printable-path.ts'
import type { Place, Scope } from './open-scope.ts'

/** Says that a path does not exist, and which one may have been meant. */
export async function noSuchFile(
  scope: Scope,
  { shown, folder, missing: [name = ''] }: Place,
): Promise<Refusal> {
  const names = await namesIn(folder)
  const meant = nearest(name, names.slice(0, MOST_NAMES))
  const hint =
    meant === undefined ? '' : ` ${printablePath(meant)} is in ${scope.shown(folder)}: was that meant?`
  return refuse(`${shown} does not exist.${hint}`, 'tool_failed', shown)
}

const MOST_NAMES = 500

async function namesIn(path: string): Promise<readonly string[]> {
  try {
    const folder = await openFolder(path)
    try {
      return await readdir(folder.at())
    } finally {
      await folder.close()
    }
  } catch {
    return []
  }
}
