import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type ToolCallRefusal, createToolCallRefusal } from '@parley/engine'
import { toPrintablePath } from '../fs/paths.ts'
import { type GitRepository, quoteName, quoteNames, quotePart, readSmallText } from './find-repository.ts'
import { REFUSED_PATHS_REASON, splitByNul, sortPaths } from './git-path.ts'
import type { ResolvePath } from './run-git.ts'
import { PLAIN_DIFF } from './git-status.ts'
import type { GitRunOptions, IsolatedGit } from './isolated-git.ts'

/** The exact content of a commit. */
export interface CommitDraft {
  readonly kind: 'draft'
  readonly ref: string
  readonly parent: string | undefined
  readonly tree: string
  readonly changes: readonly CommitChange[]
  readonly diff: string
}

export interface CommitChange {
  readonly mode: string
  readonly object: string
  /** Git's status letter: A, M, D or T. */
  readonly letter: string
  readonly path: string
}

export interface DraftRequest {
  /** Relative to the repository's root; absent means the staged files. */
  readonly paths: readonly string[] | undefined
  readonly resolvePath: ResolvePath
  readonly keepsObjects: boolean
}

/** Builds a commit in a separate index: exactly its content will be committed. */
export async function draftCommit(
  isolated: IsolatedGit,
  request: DraftRequest,
): Promise<CommitDraft | ToolCallRefusal> {
  const { ref, commit: parent, repository, git } = isolated
  if (ref === undefined) return createToolCallRefusal(NO_BRANCH, 'tool_failed')
  const odd = await findUnsafeFile(repository, ref)
  if (odd !== undefined)
    return createToolCallRefusal(`Nothing is committed here: ${odd}. Ask the person to look at it.`)
  const reason = await findUnfinishedOperation(isolated)
  if (reason !== undefined) return createToolCallRefusal(reason, 'tool_failed')

  const { keepsObjects } = request
  const staged = request.paths ? join(isolated.folder, 'next-index') : join(isolated.folder, 'index')
  const options = { keepsObjects, environment: { GIT_INDEX_FILE: staged } }
  if (request.paths) {
    if (parent !== undefined) await git(['read-tree', parent], options)
    const paths = await listPathsToAdd(isolated, request.paths, { ...request, options })
    if ('kind' in paths) return paths
    await git(['update-index', '--add', '--remove', '-z', '--stdin'], { ...options, input: paths.join('\0') })
  }
  const tree = (await git(['write-tree'], options)).trim()
  const base = parent ?? (await git(['hash-object', '-t', 'tree', '-w', '--stdin'])).trim()
  const compare = ['diff-index', '--cached', ...PLAIN_DIFF_OF_ALL]
  const changes = parseChanges(await git([...compare, '--raw', '--no-abbrev', '-z', base, '--'], options))
  if (changes.length === 0) return createToolCallRefusal(request.paths ? UNCHANGED : UNSTAGED, 'tool_failed')
  const { refused } = await sortPaths(
    changes.map(({ path }) => path),
    repository.root,
    request.resolvePath,
  )
  if (refused.length > 0)
    return createToolCallRefusal(
      `${REFUSED_PATHS_REASON}: ${quoteNames(refused)}. ${request.paths ? 'Name the other files one by one' : 'Ask the person to unstage them'}.`,
    )
  const diff = await git([...compare, '--patch', base, '--'], options)
  return { kind: 'draft', ref, parent, tree, changes, diff }
}

/** Unlike in a status, a staged submodule is part of a commit. */
const PLAIN_DIFF_OF_ALL = [
  ...PLAIN_DIFF.filter((option) => !option.includes('submodules')),
  '--ignore-submodules=none',
  '--submodule=short',
]

const NO_BRANCH = 'No branch is checked out. Check one out first.'
const UNCHANGED = 'Nothing to commit: these files are unchanged since the last commit.'
const UNSTAGED = 'Nothing is staged. Name the files to commit in paths.'

const parseChanges = (raw: string): readonly CommitChange[] => {
  const fields = splitByNul(raw)
  return fields.flatMap((field, at) => {
    // Each is `:mode mode object object letter`, followed by the path.
    if (at % 2 === 1) return []
    const [, mode = '', , object = '', letter = ''] = field.split(' ')
    return [{ mode, object, letter, path: fields[at + 1] ?? '' }]
  })
}

const OPERATIONS_BY_FILE: Readonly<Record<string, string>> = {
  MERGE_HEAD: 'A merge',
  CHERRY_PICK_HEAD: 'A cherry-pick',
  REVERT_HEAD: 'A revert',
  'rebase-merge': 'A rebase',
  'rebase-apply': 'A rebase',
}

async function findUnfinishedOperation({
  repository: { gitDir },
  git,
}: IsolatedGit): Promise<string | undefined> {
  for (const [name, what] of Object.entries(OPERATIONS_BY_FILE)) {
    const stats = await lstat(join(gitDir, name)).catch(() => undefined)
    if (stats) return `${what} is in progress in this repository. A person has to finish or abort it first.`
  }
  const unmerged = splitByNul(await git(['ls-files', '--unmerged', '-z']))
  return unmerged.length > 0
    ? 'There are files with conflicts. A person has to resolve them first.'
    : undefined
}

/**
 * The first file a commit would write that may lie outside the repository. Git follows symbolic links, hard links and
 * symbolic refs.
 */
async function findUnsafeFile(
  { gitDir, commonDir }: GitRepository,
  ref: string,
): Promise<string | undefined> {
  const objects = join(commonDir, 'objects')
  const stores = (await readdir(objects).catch(() => [])).map((name) => join(objects, name))
  const names = ref.split('/')
  const ways = names.slice(0, -1).map((_, at) => names.slice(0, at + 1).join('/'))
  const folders = [
    join(gitDir, 'logs'),
    objects,
    ...stores,
    ...ways.flatMap((way) => [join(commonDir, way), join(commonDir, 'logs', way)]),
    join(commonDir, 'logs'),
  ]
  for (const folder of folders) {
    const stats = await lstat(folder).catch(() => undefined)
    if (stats && !stats.isDirectory()) return `${quotePart(commonDir, folder)} is a link or no folder`
  }
  const files = [
    ...['HEAD', 'index', 'logs/HEAD'].map((name) => join(gitDir, name)),
    ...[ref, `logs/${ref}`, 'packed-refs'].map((name) => join(commonDir, name)),
  ]
  for (const file of files.flatMap((each) => [each, `${each}.lock`])) {
    const stats = await lstat(file).catch(() => undefined)
    if (stats && !stats.isFile()) return `${quotePart(commonDir, file)} is a link or no file`
    if (stats && stats.nlink > 1)
      return `${quotePart(commonDir, file)} is a hard link: it may be a file outside the repository`
  }
  const text = await readSmallText(join(commonDir, ref))
  return text?.startsWith('ref:') ? `the branch ${quoteName(ref)} is an alias of another one` : undefined
}

interface AddOptions {
  readonly resolvePath: ResolvePath
  readonly options: GitRunOptions
}

/** The files that differ from the last commit at or below these paths, new and removed ones too. */
async function listPathsToAdd(
  { git, repository }: IsolatedGit,
  given: readonly string[],
  { resolvePath, options }: AddOptions,
): Promise<readonly string[] | ToolCallRefusal> {
  const within = given.includes('') ? [] : given
  const listed = [
    'ls-files',
    '-z',
    '--modified',
    '--deleted',
    '--others',
    '--exclude-standard',
    '--',
    ...within,
  ]
  const paths = [...new Set(splitByNul(await git(listed, options)))]
  for (const path of within) {
    const isKnown = paths.some((each) => each === path || each === `${path}/` || each.startsWith(`${path}/`))
    if (!isKnown)
      return createToolCallRefusal(
        await explainNothingToAdd(path, git, options),
        'tool_failed',
        toPrintablePath(path),
      )
  }
  const submodules = splitByNul(await git(['ls-files', '--stage', '-z', '--', ...within], options))
    .filter((entry) => entry.startsWith('160000 '))
    .map((entry) => entry.slice(entry.indexOf('\t') + 1))
  const nested = paths.find((path) => path.endsWith('/') || submodules.includes(path))
  if (nested !== undefined)
    return refusePath(nested, 'is a separate repository, which is not committed from here')

  const { refused } = await sortPaths(paths, repository.root, resolvePath)
  if (refused.length > 0)
    return createToolCallRefusal(
      `${REFUSED_PATHS_REASON}: ${quoteNames(refused)}. Name the other files one by one.`,
    )
  // A filter is a program that converts files for storage, and we run no program of a repository.
  const filters = splitByNul(
    await git(['check-attr', '-z', '--stdin', 'filter'], { ...options, input: paths.join('\0') }),
  )
  const filtered = filters.findIndex(
    (value, at) => at % 3 === 2 && value !== 'unspecified' && value !== 'unset',
  )
  if (filtered !== -1)
    return refusePath(
      filters[filtered - 2] ?? '',
      `goes through the filter ${quoteName(filters[filtered] ?? '')}, which is not run here`,
    )
  return paths
}

const refusePath = (path: string, reason: string): ToolCallRefusal =>
  createToolCallRefusal(
    `${quoteName(path)} ${reason}. Ask the person to commit it themselves.`,
    'tool_denied',
    toPrintablePath(path),
  )

async function explainNothingToAdd(
  path: string,
  git: IsolatedGit['git'],
  options: GitRunOptions,
): Promise<string> {
  const isTracked = (await git(['ls-files', '-z', '--', path], options)) !== ''
  return isTracked
    ? `${toPrintablePath(path)} is unchanged since the last commit.`
    : `${toPrintablePath(path)} does not exist, or git ignores it.`
}
