import { matchesGlob, relative } from 'node:path'
import { stat } from 'node:fs/promises'
import { type IgnoreRules, ignoreRules } from './ignore-rules.ts'
import type { Scope } from './open-scope.ts'
import { type Entry, readFolder } from './read-folder.ts'
import { withinTime } from './within-time.ts'

export type Walked =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'protected' | 'unreadable' | 'too-long'; readonly path: string }

/** The files in a folder and below, in order; links are not followed, and what .gitignore leaves out is left out. */
export async function* walkFiles(
  scope: Scope,
  top: string,
  glob: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<Walked> {
  if (!(await stat(top)).isDirectory()) {
    yield { kind: 'file', path: top }
    return
  }
  const folders: { path: string; rules: IgnoreRules }[] = [
    { path: top, rules: await ignoreRules(scope, top, signal) },
  ]
  for (let at = folders.pop(); at; at = folders.pop()) {
    signal.throwIfAborted()
    const { path, rules } = at
    const entries = await readFolder(scope, path).catch(() => undefined)
    if (!entries) {
      yield { kind: 'unreadable', path }
      continue
    }
    const ignored = rules.namesIn(entries)
    const kept = entries.filter(({ name }) => !ignored.has(name))
    const globbed = matching(kept, glob, [top, scope.workingDir])
    if (globbed === 'too-long') {
      yield { kind: 'too-long', path }
      return
    }
    for (const file of globbed) yield { kind: file.isProtected ? 'protected' : 'file', path: file.path }
    const below = kept.filter(({ kind, isProtected }) => kind === 'folder' && !isProtected)
    for (const folder of below.toReversed())
      folders.push({ path: folder.path, rules: await rules.within(folder.path) })
  }
}

/** A glob without a slash is for names, any other for paths from the folder that is searched or the working folder on. */
function matching(
  entries: readonly Entry[],
  glob: string | undefined,
  from: readonly string[],
): readonly Entry[] | 'too-long' {
  const files = entries.filter(({ kind }) => kind === 'file')
  if (glob === undefined || files.length === 0) return files
  const isLike = glob.includes('/')
    ? ({ path }: Entry) => from.some((folder) => matchesGlob(relative(folder, path), glob))
    : ({ name }: Entry) => matchesGlob(name, glob)
  return withinTime(() => files.filter(isLike))
}
