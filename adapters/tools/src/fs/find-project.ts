import { lstat, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { isWithin } from './is-within.ts'

const MARKS = ['.git', '.parley']

/** The root of the project around a folder, by its real path: the folder itself where there is no project. */
export async function findProject(folder: string): Promise<string> {
  const home = await realpath(homedir()).catch(() => homedir())
  // A folder that holds the whole of a person's home is no project, even if their dotfiles are kept in git.
  for (let at = folder; at !== '/' && !isWithin(home, at); at = dirname(at)) {
    if (await hasMark(at)) return at
  }
  return folder
}

async function hasMark(folder: string): Promise<boolean> {
  for (const mark of MARKS) {
    const found = await lstat(join(folder, mark)).catch(() => undefined)
    if (found) return true
  }
  return false
}
