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
import { type Refusal, refuse } from '@parley/engine'
import { printablePath } from '../fs/paths.ts'
import { type Repository, quoted, smallText } from './find-repository.ts'
import { byNul } from './git-path.ts'
import { GIT_VARIABLES, type GitAnswer, type OpenedGit, runGit } from './run-git.ts'

/** A git folder of our own that stands in for the repository's. */
export interface StandIn {
  readonly folder: string
  readonly repository: Repository
  /** The repository's own config, read as text. */
  readonly settings: Settings
  /** The branch that is checked out, as `refs/heads/…`; undefined where none is. */
  readonly ref: string | undefined
  /** The commit that is checked out; undefined where there is none yet. */
  readonly commit: string | undefined
  /** Throws what git complains of. */
  readonly git: (args: readonly string[], how?: GitHow) => Promise<string>
  readonly answer: (args: readonly string[], how?: GitHow) => Promise<GitAnswer>
}

export interface GitHow {
  readonly input?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  /** Objects are written to the repository itself, not to the stand-in, which goes when all is done. */
  readonly keepsObjects?: boolean
}

/**
 * Git runs programs that a repository's config names: filters, hooks, monitors, drivers of differences. So it never
 * sees that config. It is given a folder with a config of ours, a copy of the index, and the repository's own
 * branches and objects.
 */
export async function withStandIn<Result>(
  opened: OpenedGit,
  signal: AbortSignal,
  use: (standIn: StandIn) => Promise<Result | Refusal>,
  /** Of each run of git. */
  timeoutMs?: number,
): Promise<Result | Refusal> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-git-'))
  try {
    const standIn = await makeStandIn(folder, opened, signal, timeoutMs)
    return 'kind' in standIn ? standIn : await use(standIn)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function makeStandIn(
  folder: string,
  opened: OpenedGit,
  signal: AbortSignal,
  timeoutMs: number | undefined,
): Promise<StandIn | Refusal> {
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
  const answer: StandIn['answer'] = (args, how = {}) => {
    const objects = how.keepsObjects && { GIT_OBJECT_DIRECTORY: join(commonDir, 'objects') }
    const request = {
      file: opened.file,
      args,
      folder: root,
      environment: { ...environment, ...objects, ...how.environment },
      ...(how.input !== undefined && { input: how.input }),
      ...(timeoutMs !== undefined && { timeoutMs }),
    }
    return runGit(request, how.signal ?? signal)
  }
  const git: StandIn['git'] = async (args, how) => {
    const { exitCode, output, complaint } = await answer(args, how)
    if (exitCode !== 0)
      throw new Error(
        `git ${args[0]} failed (${exitCode}): ${printablePath(complaint.trim().slice(0, 1_000))}`,
      )
    return output
  }

  const head = (await smallText(join(gitDir, 'HEAD'))) ?? ''
  if (!/^(ref: refs\/[^\n]+|[0-9a-f]{40,64})\n?$/.test(head))
    return refuse(`${printablePath(gitDir)} is not a git folder: its HEAD says nothing.`, 'tool_unavailable')
  // Named as a file, it is read alone: what it includes is not.
  const listed = await git(['config', '--file', join(commonDir, 'config'), '--no-includes', '--list', '-z'])
  const settings = settingsOf(listed)
  const config = standInConfig(settings)
  if (typeof config !== 'string') return config
  await fill(folder, repository, { HEAD: head, config })

  const odd = await oddRuleFile(root, byNul(await git(['ls-files', '-z'])))
  if (odd !== undefined)
    return refuse(
      `The repository is not used: ${odd}, and git would wait for it. Ask the person to remove it.`,
    )
  const { output } = await answer(['rev-parse', '--quiet', '--verify', 'HEAD^{commit}'])
  const ref = /^ref: (refs\/heads\/[^\n]+)/.exec(head)?.[1]
  return { folder, repository, settings, ref, commit: output.trim() || undefined, git, answer }
}

async function fill(
  folder: string,
  { gitDir, commonDir }: Repository,
  files: Record<string, string>,
): Promise<void> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  await mkdir(join(folder, 'objects', 'info'), { recursive: true })
  await writeFile(join(folder, 'objects', 'info', 'alternates'), `${join(commonDir, 'objects')}\n`)
  await mkdir(join(folder, 'info'))
  await symlink(join(commonDir, 'refs'), join(folder, 'refs'))
  for (const name of ['packed-refs', 'shallow', 'info/exclude', 'info/attributes'])
    await symlink(join(commonDir, name), join(folder, name))
  // Part of a large index may be in files of its own.
  const shared = (await readdir(gitDir)).filter((name) => name.startsWith('sharedindex.'))
  for (const name of shared) await symlink(join(gitDir, name), join(folder, name))
  await copyIndex(join(gitDir, 'index'), join(folder, 'index'))
}

/** Git takes files that are newer than the index as changed, so the copy must not look newer than what was copied. */
async function copyIndex(from: string, to: string): Promise<void> {
  const found = await stat(from).catch(() => undefined)
  if (!found) return
  await copyFile(from, to)
  const before = Math.floor(found.mtimeMs / 1_000) - 1
  await utimes(to, before, before)
}

const NAMES = ['.gitattributes', '.gitignore']
const MOST_FOLDERS = 5_000

/**
 * A file of rules that git would wait for without end, such as a pipe. Looked for where it is cheap: in the folders
 * of files that git follows, and in those at the top. For what lies elsewhere git has a limit of time.
 */
async function oddRuleFile(root: string, tracked: readonly string[]): Promise<string | undefined> {
  const top = await readdir(root, { withFileTypes: true }).catch(() => [])
  const folders = new Set(['.', ...top.filter((entry) => entry.isDirectory()).map(({ name }) => name)])
  for (const path of tracked) {
    for (let at = dirname(path); at !== '.' && !folders.has(at); at = dirname(at)) folders.add(at)
    if (folders.size > MOST_FOLDERS) break
  }
  for (const folder of folders) {
    const found = await Promise.all(
      NAMES.map((name) => lstat(join(root, folder, name)).catch(() => undefined)),
    )
    const odd = found.findIndex(
      (each) => each && !each.isFile() && !each.isDirectory() && !each.isSymbolicLink(),
    )
    if (odd !== -1) return `${quoted(join(folder, NAMES[odd] ?? ''))} is neither a file nor a folder`
  }
  return undefined
}

/** A repository's own settings, by their names in lower case; the last of each counts. */
export type Settings = ReadonlyMap<string, string>

/** From what `git config --list -z` says. */
export const settingsOf = (listed: string): Settings =>
  new Map(
    listed
      .split('\0')
      .filter(Boolean)
      .map((entry) => {
        const [name = '', ...value] = entry.split('\n')
        // A name alone means yes.
        return [name.toLowerCase(), value.length === 0 ? 'true' : value.join('\n')] as const
      }),
  )

/** The config that git is run with: of the repository's own, only what says how its files are stored. */
export function standInConfig(settings: Settings): string | Refusal {
  const version = settings.get('core.repositoryformatversion') ?? '0'
  if (version !== '0' && version !== '1') return unknown(`format ${quoted(version)}`)
  for (const [name, value] of settings) {
    if (version === '0' || !name.startsWith('extensions.')) continue
    const isKnown = EXTENSIONS.get(name)?.test(value) ?? false
    if (!isKnown) return unknown(quoted(name))
  }
  const taken = TAKEN.flatMap((name) => {
    const value = settings.get(`core.${name}`)
    return value !== undefined && /^[a-z0-9]{1,20}$/i.test(value) ? [`\t${name} = ${value}`] : []
  })
  const format = version === '1' ? settings.get('extensions.objectformat') : undefined
  return [...FIXED, ...taken, ...(format ? ['[extensions]', `\tobjectFormat = ${format}`] : []), '']
    .join('\n')
    .replace('VERSION', format ? '1' : '0')
}

const unknown = (what: string): Refusal =>
  refuse(`The repository uses ${what} of git, which is not known here. Use git by hand.`, 'tool_unavailable')

/** What a repository may need its readers to know, with the values that we do know. */
const EXTENSIONS: ReadonlyMap<string, RegExp> = new Map([
  ['extensions.noop', /^/],
  ['extensions.objectformat', /^sha(1|256)$/],
  ['extensions.partialclone', /^/],
  ['extensions.preciousobjects', /^/],
  ['extensions.refstorage', /^files$/],
  ['extensions.relativeworktrees', /^/],
  ['extensions.worktreeconfig', /^/],
])

const TAKEN = [
  'filemode',
  'symlinks',
  'ignorecase',
  'precomposeunicode',
  'autocrlf',
  'eol',
  'sharedrepository',
]

const FIXED = [
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
