import { refuse, type Refusal, type ToolSession } from '@parley/engine'
import { builtEnvironment } from '../command/built-environment.ts'
import { type Environment, findExecutable, programFolders } from '../command/find-executable.ts'
import { findProject } from '../fs/find-project.ts'
import { openScope } from '../fs/open-scope.ts'
import type { ToolPolicy } from '../tool-policy.ts'
import { findRepository, type Repository } from './find-repository.ts'

export interface GitToolsHost {
  readonly session: ToolSession
  readonly policy: ToolPolicy
  readonly environment: Environment
  /** The real path of a file that the session may use so, or why it may not. */
  readonly checkPath: CheckPath
}

export type CheckPath = (path: string, use: 'read' | 'write') => Promise<string | Refusal>

/** The program and the repository of a session. */
export interface OpenedGit {
  readonly kind: 'opened'
  readonly file: string
  readonly environment: Readonly<Record<string, string>>
  readonly repository: Repository
  readonly workingDir: string
}

export async function openGit({
  session,
  policy,
  environment,
}: Omit<GitToolsHost, 'checkPath'>): Promise<OpenedGit | Refusal> {
  const scope = await openScope(session.context, policy)
  if (scope.kind === 'refused') return scope
  const { workingDir } = scope
  const repository = await findRepository(scope, policy.root)
  if (repository.kind === 'refused') return repository
  const folders = await programFolders(environment, await findProject(workingDir))
  const file = await findExecutable('git', { folders, workingDir })
  if (file === undefined)
    return refuse(
      `There is no program git in ${folders.join(', ')}. A person has to install it.`,
      'tool_unavailable',
    )
  return { kind: 'opened', file, environment: builtEnvironment(environment, folders), repository, workingDir }
}
