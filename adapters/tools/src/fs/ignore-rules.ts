import { lstat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import ignore, { type Ignore } from 'ignore'
import { isWithin } from './paths.ts'
import type { Scope } from './open-scope.ts'
import { readBytes } from './read-bytes.ts'
import type { Entry } from './open-folder.ts'
import { withinTime } from './match-lines.ts'

/** The rules of the .gitignore files of a folder and its parents. */
export interface IgnoreRules {
  /** The rules within a subfolder, which may have its own file. */
  within(folder: string): Promise<IgnoreRules>
  /** The names of the ignored entries. */
  namesIn(entries: readonly Entry[]): ReadonlySet<string>
}

/** The rules for a folder. An ignored folder has only its own: a caller that names it wants to see it. */
export async function ignoreRules(scope: Scope, folder: string, signal: AbortSignal): Promise<IgnoreRules> {
  const none = rulesOf([], { scope, signal, endless: new Set() })
  const above = await foldersAbove(scope, folder)
  let rules = none
  for (const [at, path] of above.entries()) {
    rules = await rules.within(path)
    const below = above[at + 1] ?? folder
    if (rules.namesIn([folderEntry(below)]).size > 0) rules = none
  }
  return rules.within(folder)
}

interface RuleFile {
  readonly folder: string
  readonly rules: Ignore
}

interface Walk {
  readonly scope: Scope
  readonly signal: AbortSignal
  /** Rule files that take too long to match, as a hostile project's may; they are skipped. */
  readonly endless: Set<RuleFile>
}

/** The applying files, the nearest first. */
function rulesOf(files: readonly RuleFile[], walk: Walk): IgnoreRules {
  const { scope, signal, endless } = walk
  return {
    async within(folder) {
      const file = await readBytes(scope, join(folder, '.gitignore'), LARGEST, signal)
      if (file.kind !== 'read') return rulesOf(files, walk)
      const rules = ignore({ ignorecase: false }).add(file.bytes.toString('utf8'))
      return rulesOf([{ folder, rules }, ...files], walk)
    },
    namesIn(entries) {
      const ignored = new Set<string>()
      let open = entries
      for (const file of files) {
        if (open.length === 0 || endless.has(file)) continue
        const decisions = withinTime(() => open.map((entry) => applyRules(file, entry)))
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

const LARGEST = 200_000

/** The nearest file with a matching rule decides. */
function applyRules({ folder, rules }: RuleFile, { path, kind }: Entry): 'ignored' | 'kept' | 'open' {
  const { ignored, unignored } = rules.test(`${relative(folder, path)}${kind === 'folder' ? '/' : ''}`)
  if (ignored) return 'ignored'
  return unignored ? 'kept' : 'open'
}

/** From the repository's root down to the parent folder; none if no repository is in scope. */
async function foldersAbove(scope: Scope, folder: string): Promise<readonly string[]> {
  const above: string[] = []
  for (let at = folder; isWithin(at, scope.root); at = dirname(at)) {
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

const folderEntry = (path: string): Entry => ({ name: path, path, kind: 'folder', isProtected: false })
