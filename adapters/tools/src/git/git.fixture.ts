import { execFileSync } from 'node:child_process'
import type { Dirent } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { AgentSession } from '@parley/contracts'
import type { AnyTool, ToolCallPlan, ToolCallRefusal, RawToolResult } from '@parley/engine'
import { freshFolder, planWith, createPolicy, createToolSession } from '../command/command.fixture.ts'
import { openScope } from '../fs/open-scope.ts'
import type { ToolPolicy } from '../tool-policy.ts'
import { createGitTools } from './git-commit.ts'
import type { ResolvePath } from './run-git.ts'

/** Plain git, as a person runs it: with the repository's config and hooks. */
export const runGitIn = (folder: string, ...args: readonly string[]): string =>
  execFileSync('git', args, { cwd: folder, env: PERSON, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

const PERSON = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'protocol.file.allow',
  GIT_CONFIG_VALUE_0: 'always',
  GIT_TERMINAL_PROMPT: '0',
}

export async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
}

/** A repository without commits. */
export async function createEmptyRepository(...options: readonly string[]): Promise<string> {
  const folder = await freshFolder()
  runGitIn(folder, 'init', '--quiet', '--initial-branch=main', ...options)
  runGitIn(folder, 'config', 'user.name', 'Ada Example')
  runGitIn(folder, 'config', 'user.email', 'ada@example.org')
  return folder
}

/** A repository with one commit. */
export async function createRepository(...options: readonly string[]): Promise<string> {
  const folder = await freshFolder()
  const { folders, files } = await modelRepository(options)
  for (const path of folders) await mkdir(join(folder, path), { recursive: true })
  for (const [path, bytes] of files) await writeFile(join(folder, path), bytes)
  return folder
}

interface ModelRepository {
  readonly folders: readonly string[]
  readonly files: readonly (readonly [path: string, bytes: Buffer])[]
}

const models = new Map<string, Promise<ModelRepository>>()

/** Made once and copied for each test: starting git five times takes longer than most tests. */
function modelRepository(options: readonly string[]): Promise<ModelRepository> {
  const key = options.join(' ')
  const model = models.get(key) ?? makeModel(options)
  models.set(key, model)
  return model
}

async function makeModel(options: readonly string[]): Promise<ModelRepository> {
  const folder = await createEmptyRepository(...options)
  await writeFiles(folder, { 'a.txt': 'one\n', 'src/b.txt': 'two\n' })
  runGitIn(folder, 'add', '--all')
  runGitIn(folder, 'commit', '--quiet', '--message', 'Begin')
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const pathOf = ({ parentPath, name }: Dirent) => relative(folder, join(parentPath, name))
  const files = entries.filter((entry) => entry.isFile()).map(pathOf)
  return {
    folders: entries.filter((entry) => entry.isDirectory()).map(pathOf),
    files: await Promise.all(files.map(async (path) => [path, await readFile(join(folder, path))] as const)),
  }
}

export interface GitFixtureOptions {
  readonly context?: Partial<AgentSession['context']>
  readonly policy?: Partial<ToolPolicy>
  readonly environment?: Readonly<Record<string, string>>
  /** Parley's data folder. */
  readonly home?: string
}

/** The tools of a session, with the guard that file tools have. */
export async function createTools(
  folder: string,
  given: GitFixtureOptions = {},
): Promise<readonly AnyTool[]> {
  const session = createToolSession(folder, given.context)
  const policy = createPolicy(given.policy)
  const scope = await openScope(session.context, policy, given.home)
  const resolvePath: ResolvePath = async (path, use) => {
    const place = scope.kind === 'refused' ? scope : await scope.resolve(path, use)
    return place.kind === 'refused' ? place : place.path
  }
  return createGitTools({ session, policy, environment: given.environment ?? {}, resolvePath })
}

export const planCall = async (
  folder: string,
  name: string,
  input: object,
  given: GitFixtureOptions = {},
): Promise<ToolCallPlan | ToolCallRefusal> => planWith(await createTools(folder, given), name, input)

/** Plans a call and carries it out at once, as if it were allowed. */
export async function carryOutCall(
  folder: string,
  name: string,
  input: object,
  given: GitFixtureOptions = {},
): Promise<RawToolResult> {
  const planned = await planCall(folder, name, input, given)
  if (planned.kind === 'refused') return { kind: 'failed', code: planned.code, text: planned.text }
  return planned.carryOut(new AbortController().signal)
}

export const getResultText = async (
  folder: string,
  input: object,
  given?: GitFixtureOptions,
): Promise<string> => (await carryOutCall(folder, 'git_status', input, given)).text
