import { GitStatusInput, createToolInput } from '@parley/contracts'
import type { Tool } from '@parley/engine'
import { createFailedResult } from '../create-failed-result.ts'
import { toPrintablePath } from '../fs/paths.ts'
import { splitByNul, toGitPath, sortPaths } from './git-path.ts'
import { type IsolatedGit, withIsolatedGit } from './isolated-git.ts'
import { type ResolvePath, type GitToolsHost, openGit } from './run-git.ts'

const DEFAULT_COUNT = 20
const MAX_MS = 20_000

/** Shows the state of the repository around the working folder. */
export function createGitStatusTool(host: GitToolsHost): Tool<GitStatusInput> {
  return {
    name: 'git_status',
    description:
      'Shows the git repository of the working folder: its status, unstaged changes (diff), staged changes (staged_diff), or its last commits (log).',
    input: createToolInput(GitStatusInput),
    mayRepeat: true,

    async plan({ show = 'status', path, count = DEFAULT_COUNT }) {
      const opened = await openGit(host)
      if (opened.kind === 'refused') return opened
      const within = path === undefined ? '' : await toGitPath(path, opened, host.resolvePath)
      if (typeof within !== 'string') return within
      const paths = within === '' ? [] : [within]

      const views: Record<typeof show, (isolated: IsolatedGit) => Promise<string>> = {
        status: (isolated) => showStatus(isolated, paths),
        diff: (isolated) => showChanges(isolated, 'diff', paths, host.resolvePath),
        staged_diff: (isolated) => showChanges(isolated, 'staged_diff', paths, host.resolvePath),
        log: (isolated) => showLog(isolated, count, paths),
      }
      return {
        kind: 'plan',
        target: toPrintablePath(
          within === '' ? opened.repository.root : `${opened.repository.root}/${within}`,
        ),
        origin: `git ${show}`,
        async carryOut(signal) {
          const text = await withIsolatedGit<string>(opened, signal, views[show], MAX_MS)
          return typeof text === 'string' ? { kind: 'ok', text } : createFailedResult(text.text, text.code)
        },
      }
    },
  }
}

const MAX_BODY_LINES = 10

/** The last commits, newest first: id, date, author, subject and the beginning of the body. */
async function showLog(isolated: IsolatedGit, count: number, paths: readonly string[]): Promise<string> {
  if (isolated.commit === undefined) return 'There are no commits yet.'
  const listed = await isolated.git([
    'log',
    `--max-count=${count}`,
    '--format=tformat:%h %aI %an <%ae>%n%B',
    '-z',
    '--no-patch',
    '--no-show-signature',
    '--no-color',
    '--no-mailmap',
    isolated.commit,
    '--',
    ...paths,
  ])
  const commits = splitByNul(listed).map(formatCommit)
  return commits.length > 0 ? commits.join('\n\n') : 'No commit concerns this path.'
}

function formatCommit(commit: string): string {
  const [head = '', ...message] = commit.trimEnd().split('\n')
  const shown = message.slice(0, MAX_BODY_LINES + 1).map((line) => `    ${line}`.trimEnd())
  return [head, ...shown, ...(message.length > shown.length ? ['    …'] : [])].join('\n')
}

/** The branch, and one line per changed, staged or new file: git's two letters and the path. */
async function showStatus(isolated: IsolatedGit, paths: readonly string[]): Promise<string> {
  const listed = await isolated.git([
    'status',
    '--porcelain=v1',
    '-z',
    '--untracked-files=normal',
    '--ignore-submodules=all',
    '--no-renames',
    '--',
    ...paths,
  ])
  const lines = splitByNul(listed).map((entry) => `${entry.slice(0, 2)} ${toPrintablePath(entry.slice(3))}`)
  return [formatHeadline(isolated), ...(lines.length > 0 ? lines : ['No changes.'])].join('\n')
}

function formatHeadline({ ref, commit }: IsolatedGit): string {
  const where =
    ref === undefined ? `No branch is checked out; at ${commit ?? 'nothing'}` : `On ${getBranchName(ref)}`
  return commit === undefined ? `${where}, which has no commits yet.` : `${where}.`
}

/** The short name of a branch. */
export const getBranchName = (ref: string): string =>
  toPrintablePath(ref.replace(/^refs\/heads\//, '')).slice(0, 80)

/** The options of every diff. */
export const PLAIN_DIFF = [
  '--no-renames',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--ignore-submodules=all',
]

/** The diff between files and index, or index and last commit; protected files are only named. */
async function showChanges(
  isolated: IsolatedGit,
  which: 'diff' | 'staged_diff',
  paths: readonly string[],
  resolvePath: ResolvePath,
): Promise<string> {
  const cached = which === 'staged_diff' ? ['--cached'] : []
  const listed = await isolated.git(['diff', ...cached, '--name-only', '-z', ...PLAIN_DIFF, '--', ...paths])
  const { readable, refused } = await sortPaths(
    [...new Set(splitByNul(listed))],
    isolated.repository.root,
    resolvePath,
  )

  const parts: string[] = []
  for (const some of splitIntoBatches(readable)) {
    parts.push(await isolated.git(['diff', ...cached, '--patch', ...PLAIN_DIFF, '--', ...some]))
  }
  if (refused.length > 0)
    parts.push(
      `Also changed, but protected files, hard links or special files, so not shown: ${refused.map(toPrintablePath).join(', ')}`,
    )
  return parts.length > 0 ? parts.join('') : NOTHING_TO_SHOW[which]
}

const NOTHING_TO_SHOW = {
  diff: 'No unstaged changes. (Untracked files are only in the status.)',
  staged_diff: 'Nothing is staged.',
}

const MAX_CHARACTERS = 60_000

/** Batches of paths that fit on a command line. */
function splitIntoBatches(paths: readonly string[]): readonly (readonly string[])[] {
  const pieces: string[][] = []
  let room = 0
  for (const path of paths) {
    room -= path.length + 1
    if (room < 0) {
      pieces.push([])
      room = MAX_CHARACTERS
    }
    pieces.at(-1)?.push(path)
  }
  return pieces
}
