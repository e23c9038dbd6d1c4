import { constants } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type Refusal, type ToolText, refuse } from '@parley/engine'
import { type OpenFolder, makeFolder, openFolder } from '../fs/open-folder.ts'
import type { Change, Draft } from './draft-commit.ts'
import { type Settings, type StandIn, settingsOf } from './isolated-git.ts'
import { GIT_VARIABLES, type OpenedGit, runGit } from './run-git.ts'
import { branchName } from './git-status.ts'

export interface CommitOrder {
  readonly standIn: StandIn
  /** Its objects are in the repository already. */
  readonly draft: Draft
  readonly committer: Committer
  readonly message: string
  /** Only some files were taken, so the index does not hold them yet. */
  readonly isPartial: boolean
}

/** Writes the commit and moves the branch to it, if the branch still is where it was. */
export async function carryOutCommit({
  standIn,
  draft,
  committer,
  message,
  isPartial,
}: CommitOrder): Promise<ToolText> {
  const { ref, parent, tree, changes } = draft
  const how = { keepsObjects: true, environment: variablesOf(committer) }
  const parents = parent === undefined ? [] : ['-p', parent]
  const commit = (
    await standIn.git(['commit-tree', tree, ...parents, '-F', '-'], { ...how, input: message })
  ).trim()

  const [subject = ''] = message.split('\n')
  const reason = `commit${parent === undefined ? ' (initial)' : ''}: ${subject}`
  const none = '0'.repeat(commit.length)
  const moved = await standIn.answer(
    ['update-ref', '--no-deref', '--create-reflog', '-m', reason, ref, commit, parent ?? none],
    // From here on it is done to the end: a branch that has moved needs its index.
    { ...how, signal: new AbortController().signal },
  )
  if (moved.exitCode !== 0)
    return {
      kind: 'failed',
      code: 'tool_failed',
      text: `Nothing was committed: the branch ${branchName(ref)} has moved, or another program holds it. Call git_commit again.`,
    }
  const files = changes.length === 1 ? '1 file' : `${changes.length} files`
  const done = `Committed ${commit.slice(0, 10)} to ${branchName(ref)}: ${subject} (${files})`
  const isNoted = await appendLogs(standIn, ref)
  const isInStep = !isPartial || (await updateIndex(standIn, changes))
  const notes = [!isNoted && NOT_NOTED, !isInStep && OUT_OF_STEP].filter(Boolean)
  return { kind: 'ok', text: [done, ...notes].join('\n') }
}

const NOT_NOTED = 'It is not noted in the log of the branch, whose file could not be written.'

const OUT_OF_STEP =
  'The index could not be brought up to date, since another program holds it: git reset (without --hard) mends it.'

const variablesOf = ({ name, email }: Committer): Readonly<Record<string, string>> => ({
  GIT_AUTHOR_NAME: name,
  GIT_AUTHOR_EMAIL: email,
  GIT_COMMITTER_NAME: name,
  GIT_COMMITTER_EMAIL: email,
})

/** Puts into the repository's index what was committed, not what the files hold by now. */
async function updateIndex({ answer, repository }: StandIn, changes: readonly Change[]): Promise<boolean> {
  const how = {
    environment: { GIT_INDEX_FILE: join(repository.gitDir, 'index') },
    signal: new AbortController().signal,
    keepsObjects: true,
  }
  const input = changes
    .map(({ mode, object, path }) => `${mode === '000000' ? '0' : mode} ${object}\t${path}\0`)
    .join('')
  const { exitCode } = await answer(['update-index', '-z', '--index-info'], { ...how, input })
  // Notes when files were last changed, so that the next look at them is quick; says 1 where some differ.
  if (exitCode === 0) await answer(['update-index', '-q', '--ignore-submodules', '--refresh'], how)
  return exitCode === 0
}

/**
 * Adds what git noted of a branch's move in the stand-in to the repository's own notes. What is opened is what is
 * looked at, so nothing that is put in the way meanwhile is written to. Whether all of it could be done.
 */
async function appendLogs({ folder, repository }: StandIn, ref: string): Promise<boolean> {
  const { gitDir, commonDir } = repository
  const logs: readonly (readonly [string, string, string])[] = [
    [gitDir, 'logs/HEAD', 'HEAD'],
    [commonDir, `logs/${ref}`, ref],
  ]
  let isDone = true
  for (const [top, path, name] of logs) {
    const noted = await readFile(join(folder, 'logs', name)).catch(() => undefined)
    if (noted) isDone = (await append(top, path, noted).catch(() => false)) && isDone
  }
  return isDone
}

async function append(top: string, path: string, noted: Uint8Array): Promise<boolean> {
  const held: OpenFolder[] = [await openFolder(top)]
  try {
    let at = held[0]
    for (const name of dirname(path).split('/')) {
      if (!at) return false
      at = await makeFolder(at, name)
      held.push(at)
    }
    return at !== undefined && (await appendTo(at.at(basename(path)), noted))
  } finally {
    for (const folder of held) await folder.close()
  }
}

const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants

async function appendTo(file: string, noted: Uint8Array): Promise<boolean> {
  const handle = await open(file, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o666)
  try {
    const found = await handle.stat()
    if (!found.isFile() || found.nlink > 1) return false
    await handle.appendFile(noted)
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

/** Whom a commit is by: as the repository says, else as the person's own config does. */
export async function findCommitter(
  opened: OpenedGit,
  settings: Settings,
  signal: AbortSignal,
): Promise<Committer | Refusal> {
  const own = await personalSettings(opened, signal)
  const valueOf = (key: string) => (settings.get(key) ?? own.get(key) ?? '').trim()
  const [name, email] = [valueOf('user.name'), valueOf('user.email')]
  if (!isUsable(name) || !isUsable(email)) return refuse(NOBODY, 'tool_failed')
  return { kind: 'committer', name, email }
}

const isUsable = (value: string): boolean => /^[^\p{Cc}\p{Cf}<>]{1,200}$/u.test(value)

const NOBODY =
  'Git does not know whom the commit is by. A person has to say so first: git config --global user.name "…" and git config --global user.email "…".'

/** The person may have set it for some folders only, so git is told which one this is; it reads, and runs nothing. */
async function personalSettings(
  { file, environment, repository }: OpenedGit,
  signal: AbortSignal,
): Promise<Settings> {
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
  return settingsOf(answer.output)
}
