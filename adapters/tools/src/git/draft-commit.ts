import { join } from 'node:path'
import { lstat } from 'node:fs/promises'
import { refuse, type Refusal } from '@parley/engine'
import { byNul, NOT_TAKEN, sortPaths } from './git-path.ts'
import { oddWrittenFile } from './odd-written-file.ts'
import type { CheckPath } from './open-git.ts'
import { PLAIN_DIFF } from './show-changes.ts'
import { pathsToAdd } from './paths-to-add.ts'
import { quotedList } from './quoted.ts'
import type { StandIn } from './with-stand-in.ts'

/** What a commit would hold, to the byte. */
export interface Draft {
  readonly kind: 'draft'
  readonly ref: string
  readonly parent: string | undefined
  readonly tree: string
  readonly changes: readonly Change[]
  readonly diff: string
}

export interface Change {
  readonly mode: string
  readonly object: string
  /** A letter as git gives it: A, M, D or T. */
  readonly letter: string
  readonly path: string
}

export interface DraftOrder {
  /** From the root of the repository on; what is staged where absent. */
  readonly paths: readonly string[] | undefined
  readonly checkPath: CheckPath
  readonly keepsObjects: boolean
}

/** Puts a commit together in an index of its own: what it finds there is what will be committed, and nothing else. */
export async function draftCommit(standIn: StandIn, order: DraftOrder): Promise<Draft | Refusal> {
  const { ref, commit: parent, repository, git } = standIn
  if (ref === undefined) return refuse(NO_BRANCH, 'tool_failed')
  const odd = await oddWrittenFile(repository, ref)
  if (odd !== undefined) return refuse(`Nothing is committed here: ${odd}. Ask the person to look at it.`)
  const why = await unfinished(standIn)
  if (why !== undefined) return refuse(why, 'tool_failed')

  const { keepsObjects } = order
  const staged = order.paths ? join(standIn.folder, 'next-index') : join(standIn.folder, 'index')
  const how = { keepsObjects, environment: { GIT_INDEX_FILE: staged } }
  if (order.paths) {
    if (parent !== undefined) await git(['read-tree', parent], how)
    const paths = await pathsToAdd(standIn, order.paths, { ...order, how })
    if ('kind' in paths) return paths
    await git(['update-index', '--add', '--remove', '-z', '--stdin'], { ...how, input: paths.join('\0') })
  }
  const tree = (await git(['write-tree'], how)).trim()
  const base = parent ?? (await git(['hash-object', '-t', 'tree', '-w', '--stdin'])).trim()
  const compare = ['diff-index', '--cached', ...PLAIN_DIFF_OF_ALL]
  const changes = changesOf(await git([...compare, '--raw', '--no-abbrev', '-z', base, '--'], how))
  if (changes.length === 0) return refuse(order.paths ? UNCHANGED : UNSTAGED, 'tool_failed')
  const { refused } = await sortPaths(
    changes.map(({ path }) => path),
    repository.root,
    order.checkPath,
  )
  if (refused.length > 0)
    return refuse(
      `${NOT_TAKEN}: ${quotedList(refused)}. ${order.paths ? 'Name the other files one by one' : 'Ask the person to unstage them'}.`,
    )
  const diff = await git([...compare, '--patch', base, '--'], how)
  return { kind: 'draft', ref, parent, tree, changes, diff }
}

/** Other than where files are looked at, a submodule that was staged is part of what is committed. */
const PLAIN_DIFF_OF_ALL = [
  ...PLAIN_DIFF.filter((option) => !option.includes('submodules')),
  '--ignore-submodules=none',
  '--submodule=short',
]

const NO_BRANCH = 'No branch is checked out, so a commit would belong to none. Check one out first.'
const UNCHANGED = 'There is nothing to commit: these files are as in the last commit.'
const UNSTAGED = 'Nothing is staged, so there is nothing to commit. Name the files to commit in paths.'

const changesOf = (raw: string): readonly Change[] => {
  const fields = byNul(raw)
  return fields.flatMap((field, at) => {
    // Each is `:mode mode object object letter`, followed by the path.
    if (at % 2 === 1) return []
    const [, mode = '', , object = '', letter = ''] = field.split(' ')
    return [{ mode, object, letter, path: fields[at + 1] ?? '' }]
  })
}

const UNDER_WAY: Readonly<Record<string, string>> = {
  MERGE_HEAD: 'A merge',
  CHERRY_PICK_HEAD: 'A cherry-pick',
  REVERT_HEAD: 'A revert',
  'rebase-merge': 'A rebase',
  'rebase-apply': 'A rebase',
}

async function unfinished({ repository: { gitDir }, git }: StandIn): Promise<string | undefined> {
  for (const [name, what] of Object.entries(UNDER_WAY)) {
    const found = await lstat(join(gitDir, name)).catch(() => undefined)
    if (found) return `${what} is under way in this repository. A person has to finish or abort it first.`
  }
  const unmerged = byNul(await git(['ls-files', '--unmerged', '-z']))
  return unmerged.length > 0
    ? 'There are files with conflicts. A person has to settle them first.'
    : undefined
}
