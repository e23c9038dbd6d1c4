import {
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type ToolCallRefusal, createToolCallRefusal } from '@parley/engine'
import { toPrintablePath } from '../fs/paths.ts'
import { type GitRepository, quoteName, readSmallText } from './find-repository.ts'
import { splitByNul } from './git-path.ts'
import { GIT_VARIABLES, type GitAnswer, type OpenedGit, runGit } from './run-git.ts'

/** A temporary git folder that git uses in place of the repository's. */
export interface IsolatedGit {
  readonly folder: string
  readonly repository: GitRepository
  /** The repository's config, parsed as text. */
  readonly settings: GitSettings
  /** The checked out branch, as `refs/heads/…`; undefined if none is. */
  readonly ref: string | undefined
  /** The checked out commit; undefined if there is none yet. */
  readonly commit: string | undefined
  /** Throws git's error output. */
  readonly git: (args: readonly string[], options?: GitRunOptions) => Promise<string>
  readonly runWithExitCode: (args: readonly string[], options?: GitRunOptions) => Promise<GitAnswer>
}

export interface GitRunOptions {
  readonly input?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  /** Writes objects to the repository itself instead of the temporary folder. */
  readonly keepsObjects?: boolean
}

/**
 * Git runs programs that a repository's config names: filters, hooks, monitors, diff drivers. So it never sees that
 * config. It gets a temporary folder with our own config, a copy of the index, and links to the repository's branches
 * and objects.
 */
export async function withIsolatedGit<Result>(
  opened: OpenedGit,
  signal: AbortSignal,
  use: (isolated: IsolatedGit) => Promise<Result | ToolCallRefusal>,
  /** The timeout of each run of git. */
  timeoutMs?: number,
): Promise<Result | ToolCallRefusal> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-git-'))
  try {
    const isolated = await createIsolatedGit(folder, opened, signal, timeoutMs)
    return 'kind' in isolated ? isolated : await use(isolated)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function createIsolatedGit(
  folder: string,
  opened: OpenedGit,
  signal: AbortSignal,
  timeoutMs: number | undefined,
): Promise<IsolatedGit | ToolCallRefusal> {
  const { repository } = opened
  const { gitDir, commonDir, root } = repository
  const environment = {
    ...opened.environment,
    ...GIT_VARIABLES,
    HOME: folder,
    GIT_DIR: folder,
    GIT_WORK_TREE: root,
    GIT_INDEX_FILE: join(folder, 'index'),
  }
  const runForAnswer: IsolatedGit['runWithExitCode'] = (args, options = {}) => {
    const objects = options.keepsObjects && { GIT_OBJECT_DIRECTORY: join(commonDir, 'objects') }
    const request = {
      file: opened.file,
      args,
      folder: root,
      environment: { ...environment, ...objects, ...options.environment },
      ...(options.input !== undefined && { input: options.input }),
      ...(timeoutMs !== undefined && { timeoutMs }),
    }
    return runGit(request, options.signal ?? signal)
  }
  const git: IsolatedGit['git'] = async (args, options) => {
    const { exitCode, output, errorOutput } = await runForAnswer(args, options)
    if (exitCode !== 0)
      throw new Error(
        `git ${args[0]} failed (${exitCode}): ${toPrintablePath(errorOutput.trim().slice(0, 1_000))}`,
      )
    return output
  }

  const head = (await readSmallText(join(gitDir, 'HEAD'))) ?? ''
  if (!/^(ref: refs\/[^\n]+|[0-9a-f]{40,64})\n?$/.test(head))
    return createToolCallRefusal(
      `${toPrintablePath(gitDir)} is not a git folder: its HEAD is invalid.`,
      'tool_unavailable',
    )
  // Includes are not followed.
  const listed = await git(['config', '--file', join(commonDir, 'config'), '--no-includes', '--list', '-z'])
  const settings = parseSettings(listed)
  const config = createIsolatedConfig(settings)
  if (typeof config !== 'string') return config
  await fillGitFolder(folder, repository, { HEAD: head, config })

  const odd = await findBlockingRuleFile(root, splitByNul(await git(['ls-files', '-z'])))
  if (odd !== undefined)
    return createToolCallRefusal(
      `The repository is not used: ${odd}, and git would wait for it. Ask the person to remove it.`,
    )
  const { output } = await runForAnswer(['rev-parse', '--quiet', '--verify', 'HEAD^{commit}'])
  const ref = /^ref: (refs\/heads\/[^\n]+)/.exec(head)?.[1]
  return {
    folder,
    repository,
    settings,
    ref,
    commit: output.trim() || undefined,
    git,
    runWithExitCode: runForAnswer,
  }
}

async function fillGitFolder(
  folder: string,
  { gitDir, commonDir }: GitRepository,
  files: Record<string, string>,
): Promise<void> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  await mkdir(join(folder, 'objects', 'info'), { recursive: true })
  await writeFile(join(folder, 'objects', 'info', 'alternates'), `${join(commonDir, 'objects')}\n`)
  await mkdir(join(folder, 'info'))
  await symlink(join(commonDir, 'refs'), join(folder, 'refs'))
  for (const name of ['packed-refs', 'shallow', 'info/exclude', 'info/attributes'])
    await symlink(join(commonDir, name), join(folder, name))
  // Parts of a large index may be in separate files.
  const shared = (await readdir(gitDir)).filter((name) => name.startsWith('sharedindex.'))
  for (const name of shared) await symlink(join(gitDir, name), join(folder, name))
  await copyIndex(join(gitDir, 'index'), join(folder, 'index'))
}

/** Git treats files newer than the index as changed, so the copy must not look newer than the original. */
async function copyIndex(from: string, to: string): Promise<void> {
  const stats = await stat(from).catch(() => undefined)
  if (!stats) return
  await copyFile(from, to)
  const before = Math.floor(stats.mtimeMs / 1_000) - 1
  await utimes(to, before, before)
}

const RULE_FILE_NAMES = ['.gitattributes', '.gitignore']
const MAX_FOLDERS = 5_000

/**
 * A rule file that git would wait for forever, such as a pipe. Checked only in the folders of tracked files and at the
 * top, which is cheap; elsewhere git's timeout applies.
 */
async function findBlockingRuleFile(root: string, tracked: readonly string[]): Promise<string | undefined> {
  const top = await readdir(root, { withFileTypes: true }).catch(() => [])
  const folders = new Set(['.', ...top.filter((entry) => entry.isDirectory()).map(({ name }) => name)])
  for (const path of tracked) {
    for (let at = dirname(path); at !== '.' && !folders.has(at); at = dirname(at)) folders.add(at)
    if (folders.size > MAX_FOLDERS) break
  }
  for (const folder of folders) {
    const ruleFiles = await Promise.all(
      RULE_FILE_NAMES.map((name) => lstat(join(root, folder, name)).catch(() => undefined)),
    )
    const odd = ruleFiles.findIndex(
      (each) => each && !each.isFile() && !each.isDirectory() && !each.isSymbolicLink(),
    )
    if (odd !== -1)
      return `${quoteName(join(folder, RULE_FILE_NAMES[odd] ?? ''))} is neither a file nor a folder`
  }
  return undefined
}

/** A repository's settings by lower-case name; the last value counts. */
export type GitSettings = ReadonlyMap<string, string>

/** Parses the output of `git config --list -z`. */
export const parseSettings = (listed: string): GitSettings =>
  new Map(
    listed
      .split('\0')
      .filter(Boolean)
      .map((entry) => {
        const [name = '', ...value] = entry.split('\n')
        // A name without a value means true.
        return [name.toLowerCase(), value.length === 0 ? 'true' : value.join('\n')] as const
      }),
  )

/** The config for git: from the repository's own, only the settings for its storage format. */
export function createIsolatedConfig(settings: GitSettings): string | ToolCallRefusal {
  const version = settings.get('core.repositoryformatversion') ?? '0'
  if (version !== '0' && version !== '1') return refuseUnknown(`format ${quoteName(version)}`)
  for (const [name, value] of settings) {
    if (version === '0' || !name.startsWith('extensions.')) continue
    const isKnown = EXTENSIONS.get(name)?.test(value) ?? false
    if (!isKnown) return refuseUnknown(quoteName(name))
  }
  const taken = COPIED_SETTINGS.flatMap((name) => {
    const value = settings.get(`core.${name}`)
    return value !== undefined && /^[a-z0-9]{1,20}$/i.test(value) ? [`\t${name} = ${value}`] : []
  })
  const format = version === '1' ? settings.get('extensions.objectformat') : undefined
  return [...FIXED_CONFIG, ...taken, ...(format ? ['[extensions]', `\tobjectFormat = ${format}`] : []), '']
    .join('\n')
    .replace('VERSION', format ? '1' : '0')
}

const refuseUnknown = (what: string): ToolCallRefusal =>
  createToolCallRefusal(
    `The repository uses ${what} of git, which is not supported here. Use git by hand.`,
    'tool_unavailable',
  )

/** The supported extensions, with their supported values. */
const EXTENSIONS: ReadonlyMap<string, RegExp> = new Map([
  ['extensions.noop', /^/],
  ['extensions.objectformat', /^sha(1|256)$/],
  ['extensions.partialclone', /^/],
  ['extensions.preciousobjects', /^/],
  ['extensions.refstorage', /^files$/],
  ['extensions.relativeworktrees', /^/],
  ['extensions.worktreeconfig', /^/],
])

const COPIED_SETTINGS = [
  'filemode',
  'symlinks',
  'ignorecase',
  'precomposeunicode',
  'autocrlf',
  'eol',
  'sharedrepository',
]

const FIXED_CONFIG = [
  '[gc]',
  '\tauto = 0',
  '[maintenance]',
  '\tauto = false',
  '[protocol]',
  '\tallow = never',
  '[diff]',
  '\tignoreSubmodules = all',
  '[submodule]',
  '\trecurse = false',
  '[core]',
  '\trepositoryFormatVersion = VERSION',
  '\tbare = false',
  '\thooksPath = /dev/null',
  '\tattributesFile = /dev/null',
  '\texcludesFile = /dev/null',
  '\tfsmonitor = false',
  '\tsplitIndex = false',
  '\tquotePath = false',
  '\tprotectHFS = true',
  '\tprotectNTFS = true',
]
