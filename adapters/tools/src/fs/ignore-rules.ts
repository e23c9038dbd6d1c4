import { lstat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import ignore, { type Ignore } from 'ignore'
import { isWithin } from './paths.ts'
import type { Scope } from './open-scope.ts'
import { readBytes } from './read-bytes.ts'
import type { Entry } from './open-folder.ts'
import { withinTime } from './match-lines.ts'

/** What the .gitignore files of a folder and of those above it leave out. */
export interface IgnoreRules {
  /** The rules within a folder below, which may have a file of its own. */
  within(folder: string): Promise<IgnoreRules>
  /** The names of those entries that are left out. */
  namesIn(entries: readonly Entry[]): ReadonlySet<string>
}

/** The rules that hold in a folder. One that is left out itself has only its own: whoever names it wants to see it. */
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
  /** Rules of a hostile project may take for ever to match: such a file counts no more. */
  readonly endless: Set<RuleFile>
}

/** The files that hold, the nearest first. */
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
        const verdicts = withinTime(() => open.map((entry) => verdictOf(file, entry)))
        if (verdicts === 'too-long') {
          endless.add(file)
          continue
        }
        for (const [at, { name }] of open.entries()) if (verdicts[at] === 'ignored') ignored.add(name)
        open = open.filter((_, at) => verdicts[at] === 'open')
      }
      return ignored
    },
  }
}

const LARGEST = 200_000

/** The file nearest to an entry decides, if it has anything to say of it. */
function verdictOf({ folder, rules }: RuleFile, { path, kind }: Entry): 'ignored' | 'kept' | 'open' {
  const { ignored, unignored } = rules.test(`${relative(folder, path)}${kind === 'folder' ? '/' : ''}`)
  if (ignored) return 'ignored'
  return unignored ? 'kept' : 'open'
}

/** From the root of the repository down to the folder above; none where there is no repository within reach. */
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
