import { GitStatusInput, toolInput } from '@parley/contracts'
import type { Refusal, Tool } from '@parley/engine'
import { printablePath } from '../fs/printable-path.ts'
import { gitPath } from './git-path.ts'
import { type GitToolsHost, openGit } from './open-git.ts'
import { showChanges } from './show-changes.ts'
import { showLog } from './show-log.ts'
import { showStatus } from './show-status.ts'
import { type StandIn, withStandIn } from './with-stand-in.ts'

const DEFAULT_COUNT = 20
const LONGEST_MS = 20_000

/** Looks at the repository around the working folder. */
export function gitStatus(host: GitToolsHost): Tool<GitStatusInput> {
  return {
    name: 'git_status',
    description:
      'Shows the git repository of the working folder: its status, what is changed (diff), what is staged (staged_diff), or its last commits (log).',
    input: toolInput(GitStatusInput),
    mayRepeat: true,

    async plan({ show = 'status', path, count = DEFAULT_COUNT }) {
      const opened = await openGit(host)
      if (opened.kind === 'refused') return opened
      const within = path === undefined ? '' : await gitPath(path, opened, host.checkPath)
      if (typeof within !== 'string') return within
      const paths = within === '' ? [] : [within]

      const shown: Record<typeof show, (standIn: StandIn) => Promise<string>> = {
        status: (standIn) => showStatus(standIn, paths),
        diff: (standIn) => showChanges(standIn, 'diff', paths, host.checkPath),
        staged_diff: (standIn) => showChanges(standIn, 'staged_diff', paths, host.checkPath),
        log: (standIn) => showLog(standIn, count, paths),
      }
      return {
        kind: 'plan',
        target: printablePath(within === '' ? opened.repository.root : `${opened.repository.root}/${within}`),
        origin: `git ${show}`,
        async carryOut(signal) {
          const text = await withStandIn<string>(opened, signal, shown[show], LONGEST_MS)
          return typeof text === 'string' ? { kind: 'ok', text } : failed(text)
        },
      }
    },
  }
}

const failed = ({ code, text }: Refusal) => ({ kind: 'failed', code, text }) as const
