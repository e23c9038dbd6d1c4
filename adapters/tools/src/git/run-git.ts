import { type ExecFileException, execFile } from 'node:child_process'
import { type ToolCallRefusal, type ToolSession, createToolCallRefusal } from '@parley/engine'
import {
  type EnvironmentVariables,
  buildEnvironment,
  findExecutable,
  listProgramFolders,
} from '../command/program-environment.ts'
import { openScope } from '../fs/open-scope.ts'
import { findProject } from '../fs/paths.ts'
import type { ToolPolicy } from '../tool-policy.ts'
import { type GitRepository, findRepository } from './find-repository.ts'

export interface GitAnswer {
  readonly exitCode: number
  readonly output: string
  readonly errorOutput: string
}

export interface GitRequest {
  readonly file: string
  readonly args: readonly string[]
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
  readonly input?: string
  readonly timeoutMs?: number
}

const MAX_OUTPUT = 64_000_000
const MAX_MS = 120_000

/** Runs git once, without helper programs. Throws if it does not exit normally. */
export function runGit(
  { file, args, folder, environment, input, timeoutMs = MAX_MS }: GitRequest,
  signal: AbortSignal,
): Promise<GitAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<GitAnswer>()
  const options = {
    cwd: folder,
    env: environment,
    encoding: 'utf8',
    maxBuffer: MAX_OUTPUT,
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    signal,
  } as const
  const child = execFile(file, args, options, (failure, output, errorOutput) => {
    if (!failure) resolve({ exitCode: 0, output, errorOutput })
    else if (typeof failure.code === 'number') resolve({ exitCode: failure.code, output, errorOutput })
    else reject(signal.aborted ? failure : new Error(`git ${args[0]} ${explainEnd(failure)}.`))
  })
  // Git may exit before it reads all input; its exit code then says why.
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(input ?? '')
  return promise
}

const explainEnd = ({ code, killed, signal }: ExecFileException): string =>
  REASONS_BY_CODE[code ?? ''] ??
  (killed ? 'took too long and was ended' : `was ended by ${signal ?? 'the system'}`)

const REASONS_BY_CODE: Readonly<Record<string, string>> = {
  ERR_CHILD_PROCESS_STDIO_MAXBUFFER: 'returned too much output; limit it with a path',
  ENOENT: 'could not be started: the program or its folder is gone',
  EACCES: 'could not be started: permission denied',
  E2BIG: 'got too many paths; name fewer',
}

/** Set for every run: no prompts, fetches, pagers, editors or user config. */
export const GIT_VARIABLES: Readonly<Record<string, string>> = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_PAGER: 'cat',
  GIT_EDITOR: ':',
  GIT_ASKPASS: '',
  SSH_ASKPASS: '',
  GIT_SSH_COMMAND: 'false',
  // An allow list without a real protocol.
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_LITERAL_PATHSPECS: '1',
}

export interface GitToolsHost {
  readonly session: ToolSession
  readonly policy: ToolPolicy
  readonly environment: EnvironmentVariables
  readonly resolvePath: ResolvePath
}

/** The real path of a file if the session may use it, otherwise the reason. */
export type ResolvePath = (path: string, use: 'read' | 'write') => Promise<string | ToolCallRefusal>

/** The program and the repository of a session. */
export interface OpenedGit {
  readonly kind: 'opened'
  readonly file: string
  readonly environment: Readonly<Record<string, string>>
  readonly repository: GitRepository
  readonly workingDir: string
}

export async function openGit({
  session,
  policy,
  environment,
}: Omit<GitToolsHost, 'resolvePath'>): Promise<OpenedGit | ToolCallRefusal> {
  const scope = await openScope(session.context, policy)
  if (scope.kind === 'refused') return scope
  const { workingDir } = scope
  const repository = await findRepository(scope, policy.root)
  if (repository.kind === 'refused') return repository
  const folders = await listProgramFolders(environment, await findProject(workingDir))
  const file = await findExecutable('git', { folders, workingDir })
  if (file === undefined)
    return createToolCallRefusal(
      `There is no program git in ${folders.join(', ')}. A person has to install it.`,
      'tool_unavailable',
    )
  return { kind: 'opened', file, environment: buildEnvironment(environment, folders), repository, workingDir }
}
