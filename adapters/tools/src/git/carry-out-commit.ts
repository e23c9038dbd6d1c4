import { constants } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type ToolCallRefusal, type RawToolResult, createToolCallRefusal } from '@parley/engine'
import { createFailedResult } from '../create-failed-result.ts'
import { type OpenFolder, openSubfolder, openFolder } from '../fs/open-folder.ts'
import type { CommitChange, CommitDraft } from './draft-commit.ts'
import { type GitSettings, type IsolatedGit, parseSettings } from './isolated-git.ts'
import { GIT_VARIABLES, type OpenedGit, runGit } from './run-git.ts'
import { getBranchName } from './git-status.ts'

export interface CommitRequest {
  readonly isolated: IsolatedGit
  /** Its objects are already in the repository. */
  readonly draft: CommitDraft
  readonly committer: Committer
  readonly message: string
  /** Only some files were committed, so the index does not have them yet. */
  readonly isPartial: boolean
}

/** Writes the commit and moves the branch to it, unless the branch moved since. */
export async function carryOutCommit({
  isolated,
  draft,
  committer,
  message,
  isPartial,
}: CommitRequest): Promise<RawToolResult> {
  const { ref, parent, tree, changes } = draft
  const options = { keepsObjects: true, environment: toGitVariables(committer) }
  const parents = parent === undefined ? [] : ['-p', parent]
  const commit = (
    await isolated.git(['commit-tree', tree, ...parents, '-F', '-'], { ...options, input: message })
  ).trim()

  const [subject = ''] = message.split('\n')
  const reason = `commit${parent === undefined ? ' (initial)' : ''}: ${subject}`
  const none = '0'.repeat(commit.length)
  const moved = await isolated.runWithExitCode(
    ['update-ref', '--no-deref', '--create-reflog', '-m', reason, ref, commit, parent ?? none],
    // Not cancellable from here: a moved branch needs its index updated.
    { ...options, signal: new AbortController().signal },
  )
  if (moved.exitCode !== 0)
    return createFailedResult(
      `Nothing was committed: the branch ${getBranchName(ref)} has moved, or another program locks it. Call git_commit again.`,
    )
  const files = changes.length === 1 ? '1 file' : `${changes.length} files`
  const done = `Committed ${commit.slice(0, 10)} to ${getBranchName(ref)}: ${subject} (${files})`
  const hasReflog = await appendLogs(isolated, ref)
  const hasIndex = !isPartial || (await updateIndex(isolated, changes))
  const notes = [!hasReflog && REFLOG_NOT_UPDATED, !hasIndex && INDEX_NOT_UPDATED].filter(Boolean)
  return { kind: 'ok', text: [done, ...notes].join('\n') }
}

const REFLOG_NOT_UPDATED = 'The reflog was not updated, since its file could not be written.'

const INDEX_NOT_UPDATED =
  'The index could not be updated, since another program locks it: git reset (without --hard) fixes it.'

const toGitVariables = ({ name, email }: Committer): Readonly<Record<string, string>> => ({
  GIT_AUTHOR_NAME: name,
  GIT_AUTHOR_EMAIL: email,
  GIT_COMMITTER_NAME: name,
  GIT_COMMITTER_EMAIL: email,
})

/** Updates the repository's index with the committed versions, not with the current files. */
async function updateIndex(
  { runWithExitCode: runForAnswer, repository }: IsolatedGit,
  changes: readonly CommitChange[],
): Promise<boolean> {
  const options = {
    environment: { GIT_INDEX_FILE: join(repository.gitDir, 'index') },
    signal: new AbortController().signal,
    keepsObjects: true,
  }
  const input = changes
    .map(({ mode, object, path }) => `${mode === '000000' ? '0' : mode} ${object}\t${path}\0`)
    .join('')
  const { exitCode } = await runForAnswer(['update-index', '-z', '--index-info'], { ...options, input })
  // Records file times to make the next status fast; exits with 1 if some files differ.
  if (exitCode === 0) await runForAnswer(['update-index', '-q', '--ignore-submodules', '--refresh'], options)
  return exitCode === 0
}

/**
 * Copies the reflog entries from the isolated folder to the repository. The checks run on the opened files, so a link
 * put in their way is not followed. Returns whether all entries were written.
 */
async function appendLogs({ folder, repository }: IsolatedGit, ref: string): Promise<boolean> {
  const { gitDir, commonDir } = repository
  const logs: readonly (readonly [string, string, string])[] = [
    [gitDir, 'logs/HEAD', 'HEAD'],
    [commonDir, `logs/${ref}`, ref],
  ]
  let isDone = true
  for (const [top, path, name] of logs) {
    const entries = await readFile(join(folder, 'logs', name)).catch(() => undefined)
    if (entries) isDone = (await appendLog(top, path, entries).catch(() => false)) && isDone
  }
  return isDone
}

async function appendLog(top: string, path: string, entries: Uint8Array): Promise<boolean> {
  const opened: OpenFolder[] = [await openFolder(top)]
  try {
    let at = opened[0]
    for (const name of dirname(path).split('/')) {
      if (!at) return false
      at = await openSubfolder(at, name)
      opened.push(at)
    }
    return at !== undefined && (await appendToFile(at.at(basename(path)), entries))
  } finally {
    for (const folder of opened) await folder.close()
  }
}

const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants

async function appendToFile(file: string, entries: Uint8Array): Promise<boolean> {
  const handle = await open(file, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o666)
  try {
    const stats = await handle.stat()
    if (!stats.isFile() || stats.nlink > 1) return false
    await handle.appendFile(entries)
    return true
  } finally {
    await handle.close()
  }
}

export interface Committer {
  readonly kind: 'committer'
  readonly name: string
  readonly email: string
}

/** The commit's author: from the repository's config, otherwise from the person's. */
export async function findCommitter(
  opened: OpenedGit,
  settings: GitSettings,
  signal: AbortSignal,
): Promise<Committer | ToolCallRefusal> {
  const own = await readPersonalSettings(opened, signal)
  const findSetting = (key: string) => (settings.get(key) ?? own.get(key) ?? '').trim()
  const [name, email] = [findSetting('user.name'), findSetting('user.email')]
  if (!isUsable(name) || !isUsable(email)) return createToolCallRefusal(NO_AUTHOR, 'tool_failed')
  return { kind: 'committer', name, email }
}

const isUsable = (value: string): boolean => /^[^\p{Cc}\p{Cf}<>]{1,200}$/u.test(value)

const NO_AUTHOR =
  'Git has no author for the commit. A person has to set one first: git config --global user.name "…" and git config --global user.email "…".'

/** The person's config may depend on the folder, so git gets the repository's folder; it only reads. */
async function readPersonalSettings(
  { file, environment, repository }: OpenedGit,
  signal: AbortSignal,
): Promise<GitSettings> {
  const { GIT_CONFIG_GLOBAL: _, ...variables } = GIT_VARIABLES
  const answer = await runGit(
    {
      file,
      args: ['config', '--global', '--includes', '-z', '--get-regexp', String.raw`^user\.(name|email)$`],
      folder: repository.root,
      environment: { ...environment, ...variables, GIT_DIR: repository.gitDir },
    },
    signal,
  )
  return parseSettings(answer.output)
}
