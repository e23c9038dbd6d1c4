import { lstat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import ignore, { type Ignore } from 'ignore'
import { isWithinFolder } from './paths.ts'
import type { FileScope } from './open-scope.ts'
import { readBytes } from './read-bytes.ts'
import type { FolderEntry } from './open-folder.ts'
import { runWithTimeLimit } from './match-lines.ts'

/** The rules of the .gitignore files of a folder and its parents. */
export interface IgnoreRules {
  /** The rules within a subfolder, which may have its own file. */
  enterFolder(folder: string): Promise<IgnoreRules>
  /** The names of the ignored entries. */
  findIgnoredNames(entries: readonly FolderEntry[]): ReadonlySet<string>
}

/** The rules for a folder. An ignored folder has only its own: a caller that names it wants to see it. */
export async function readIgnoreRules(
  scope: FileScope,
  folder: string,
  signal: AbortSignal,
): Promise<IgnoreRules> {
  const none = createIgnoreRules([], { scope, signal, endless: new Set() })
  const above = await listFoldersAbove(scope, folder)
  let rules = none
  for (const [at, path] of above.entries()) {
    rules = await rules.enterFolder(path)
    const below = above[at + 1] ?? folder
    if (rules.findIgnoredNames([toFolderEntry(below)]).size > 0) rules = none
  }
  return rules.enterFolder(folder)
}

interface IgnoreFile {
  readonly folder: string
  readonly rules: Ignore
}

interface IgnoreWalk {
  readonly scope: FileScope
  readonly signal: AbortSignal
  /** Rule files that take too long to match, as a hostile project's may; they are skipped. */
  readonly endless: Set<IgnoreFile>
}

/** The applying files, the nearest first. */
function createIgnoreRules(files: readonly IgnoreFile[], walk: IgnoreWalk): IgnoreRules {
  const { scope, signal, endless } = walk
  return {
    async enterFolder(folder) {
      const file = await readBytes(scope, join(folder, '.gitignore'), MAX_RULE_FILE_BYTES, signal)
      if (file.kind !== 'read') return createIgnoreRules(files, walk)
      const rules = ignore({ ignorecase: false }).add(file.bytes.toString('utf8'))
      return createIgnoreRules([{ folder, rules }, ...files], walk)
    },
    findIgnoredNames(entries) {
      const ignored = new Set<string>()
      let open = entries
      for (const file of files) {
        if (open.length === 0 || endless.has(file)) continue
        const decisions = runWithTimeLimit(() => open.map((entry) => applyRules(file, entry)))
        if (decisions === 'too-long') {
          endless.add(file)
          continue
        }
        for (const [at, { name }] of open.entries()) if (decisions[at] === 'ignored') ignored.add(name)
        open = open.filter((_, at) => decisions[at] === 'open')
      }
      return ignored
    },
  }
}

const MAX_RULE_FILE_BYTES = 200_000

/** The nearest file with a matching rule decides. */
function applyRules({ folder, rules }: IgnoreFile, { path, kind }: FolderEntry): 'ignored' | 'kept' | 'open' {
  const { ignored, unignored } = rules.test(`${relative(folder, path)}${kind === 'folder' ? '/' : ''}`)
  if (ignored) return 'ignored'
  return unignored ? 'kept' : 'open'
}

/** From the repository's root down to the parent folder; none if no repository is in scope. */
async function listFoldersAbove(scope: FileScope, folder: string): Promise<readonly string[]> {
  const above: string[] = []
  for (let at = folder; isWithinFolder(at, scope.root); at = dirname(at)) {
    if (at !== folder) above.unshift(at)
    if (await isRepository(at)) return above
    if (at === '/') break
  }
  return []
}

const isRepository = (folder: string): Promise<boolean> =>
  lstat(join(folder, '.git')).then(
    () => true,
    () => false,
  )

const toFolderEntry = (path: string): FolderEntry => ({
  name: path,
  path,
  kind: 'folder',
  isProtected: false,
})
