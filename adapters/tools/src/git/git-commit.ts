import { GitCommitInput, type Preview, createToolInput } from '@parley/contracts'
import {
  type AnyTool,
  type ToolCallPlan,
  type ToolCallRefusal,
  type Tool,
  type RawToolResult,
  createToolCallRefusal,
} from '@parley/engine'
import { createFailedResult } from '../create-failed-result.ts'
import { escapeInvisible } from '../format-text.ts'
import { toPrintablePath } from '../fs/paths.ts'
import { type Committer, carryOutCommit, findCommitter } from './carry-out-commit.ts'
import { type CommitDraft, type DraftRequest, draftCommit } from './draft-commit.ts'
import { toGitPath } from './git-path.ts'
import { getBranchName, createGitStatusTool } from './git-status.ts'
import { type IsolatedGit, withIsolatedGit } from './isolated-git.ts'
import { type GitToolsHost, type OpenedGit, openGit } from './run-git.ts'

/** The tools for the git repository of a session's working folder. */
export const createGitTools = (host: GitToolsHost): readonly AnyTool[] => [
  createGitStatusTool(host),
  createGitCommitTool(host),
]

/** Commits to the checked out branch, after a person has seen the exact changes. */
function createGitCommitTool(host: GitToolsHost): Tool<GitCommitInput> {
  return {
    name: 'git_commit',
    description:
      'Commits files, or the staged changes, to the checked out branch of the git repository in the working folder. A person sees the message and all changes and approves each commit. Hooks are not run.',
    input: createToolInput(GitCommitInput),

    async plan(input, signal) {
      const message = `${input.message.trim()}\n`
      const wrong = checkMessage(message)
      if (wrong !== undefined) return createToolCallRefusal(wrong, 'validation')
      const opened = await openGit(host)
      if (opened.kind === 'refused') return opened
      const paths = await toGitPaths(input.paths, opened, host)
      if (paths && 'kind' in paths) return paths

      const request = { paths, resolvePath: host.resolvePath }
      const root = toPrintablePath(opened.repository.root)
      const planned = await withDraft(
        opened,
        { ...request, keepsObjects: false },
        signal,
        async ({ draft, committer }) => ({
          kind: 'planned' as const,
          ref: draft.ref,
          state: toCommitState(draft, committer),
          preview: createCommitPreview(draft, committer, message),
        }),
      ).catch((failure: unknown) => {
        signal.throwIfAborted()
        return planGitFailure(failure, root)
      })
      if (planned.kind !== 'planned') return planned
      const { ref, state, preview } = planned
      return {
        kind: 'plan',
        target: `${root} (${getBranchName(ref)})`,
        origin: ORIGIN,
        approval: { preview, state },
        async carryOut(until) {
          // This draft will be committed, so it must equal the one that the person saw.
          const result = await withDraft<RawToolResult>(
            opened,
            { ...request, keepsObjects: true },
            until,
            async (drafted) =>
              toCommitState(drafted.draft, drafted.committer) === state
                ? carryOutCommit({ ...drafted, message, isPartial: paths !== undefined })
                : CHANGED_SINCE,
          )
          return result.kind === 'refused' ? createFailedResult(result.text, result.code) : result
        },
      }
    },
  }
}

const ORIGIN = 'git commit'

/** Git's errors quote the repository, so they are returned as a fenced result. */
const planGitFailure = (failure: unknown, target: string): ToolCallPlan => ({
  kind: 'plan',
  target,
  origin: ORIGIN,
  carryOut: async () => createFailedResult(failure instanceof Error ? failure.message : String(failure)),
})

interface DraftedCommit {
  readonly isolated: IsolatedGit
  readonly draft: CommitDraft
  readonly committer: Committer
}

const withDraft = <Result>(
  opened: OpenedGit,
  request: DraftRequest,
  signal: AbortSignal,
  use: (drafted: DraftedCommit) => Promise<Result>,
): Promise<Result | ToolCallRefusal> =>
  withIsolatedGit<Result>(opened, signal, async (isolated) => {
    const committer = await findCommitter(opened, isolated.settings, signal)
    if (committer.kind === 'refused') return committer
    const draft = await draftCommit(isolated, request)
    return draft.kind === 'refused' ? draft : use({ isolated, draft, committer })
  })

const toCommitState = ({ tree, parent, ref }: CommitDraft, { name, email }: Committer): string =>
  JSON.stringify([tree, parent ?? '', ref, name, email])

const CHANGED_SINCE = createFailedResult(
  'Nothing was committed: the files or the branch have changed since the person saw them. Call git_commit again.',
)

function checkMessage(message: string): string | undefined {
  if (message === '\n') return 'The message is empty. Say what the commit does.'
  return /(?![\n\t])\p{Cc}|\p{Cs}/u.test(message)
    ? 'The message has control characters. Write it as plain text.'
    : undefined
}

async function toGitPaths(
  given: readonly string[] | undefined,
  opened: OpenedGit,
  { resolvePath }: GitToolsHost,
): Promise<readonly string[] | ToolCallRefusal | undefined> {
  if (!given) return undefined
  const paths: string[] = []
  for (const each of given) {
    const path = await toGitPath(each, opened, resolvePath)
    if (typeof path !== 'string') return path
    paths.push(path)
  }
  return paths
}

const MAX_FILES = 100

/** The preview for the person. Everything but the diff is indented, so a message cannot look like a change. */
function createCommitPreview(
  { ref, changes, diff }: CommitDraft,
  { name, email }: Committer,
  message: string,
): Preview {
  const files = changes.slice(0, MAX_FILES).map(({ letter, path }) => `${letter} ${toPrintablePath(path)}`)
  const more = changes.length - files.length
  const lines = [
    `Commit to ${getBranchName(ref)} by ${name} <${email}>`,
    ...message
      .trimEnd()
      .split('\n')
      .map((line) => `    ${line}`.trimEnd()),
    `Files (${changes.length}):`,
    ...files.map((file) => `    ${file}`),
    ...(more > 0 ? [`    and ${more} more`] : []),
    diff,
  ]
  return { kind: 'diff', text: escapeInvisible(lines.join('\n')) }
}
