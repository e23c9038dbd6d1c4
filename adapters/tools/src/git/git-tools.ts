import type { AnyTool } from '@parley/engine'
import { gitCommit } from './git-commit.ts'
import { gitStatus } from './git-status.ts'
import type { GitToolsHost } from './open-git.ts'

/** The tools for the git repository of a session's working folder. */
export const gitTools = (host: GitToolsHost): readonly AnyTool[] => [gitStatus(host), gitCommit(host)]
