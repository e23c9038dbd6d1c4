import { join, relative } from 'node:path'
import { printablePath } from '../fs/printable-path.ts'

const LONGEST = 80
const MOST = 5

/** A name that a repository brings along, within a sentence of ours: too short to say much, and seen as a name. */
export function quoted(name: string): string {
  const shown = printablePath(name.slice(0, 4 * LONGEST)).replaceAll('"', String.raw`\"`)
  return shown.length > LONGEST ? `"${shown.slice(0, LONGEST).toWellFormed()}…"` : `"${shown}"`
}

/** A part of a git folder, as a person knows it. */
export const quotedPart = (commonDir: string, path: string): string =>
  quoted(join('.git', relative(commonDir, path)))

export function quotedList(names: readonly string[]): string {
  const shown = names.slice(0, MOST).map(quoted).join(', ')
  return names.length > MOST ? `${shown} and ${names.length - MOST} more` : shown
}
