import { GitCommitInput, type Preview, createToolInput } from '@parley/contracts'
import { type AnyTool, type Plan, type Refusal, type Tool, type ToolText, refuse } from '@parley/engine'
import { failed } from '../failed.ts'
import { printablePath } from '../fs/paths.ts'
import { type Committer, carryOutCommit, findCommitter } from './carry-out-commit.ts'
import { type Draft, type DraftOrder, draftCommit } from './draft-commit.ts'
import { gitPath } from './git-path.ts'
import { branchName, gitStatus } from './git-status.ts'
import { type IsolatedGit, withIsolatedGit } from './isolated-git.ts'
import { type GitToolsHost, type OpenedGit, openGit } from './run-git.ts'

/** The tools for the git repository of a session's working folder. */
export const gitTools = (host: GitToolsHost): readonly AnyTool[] => [gitStatus(host), gitCommit(host)]

/** Commits to the checked out branch, after a person has seen the exact changes. */
function gitCommit(host: GitToolsHost): Tool<GitCommitInput> {
  return {
    name: 'git_commit',
    description:
      'Commits files, or the staged changes, to the checked out branch of the git repository in the working folder. A person sees the message and all changes and approves each commit. Hooks are not run.',
    input: createToolInput(GitCommitInput),

    async plan(input, signal) {
      const message = `${input.message.trim()}\n`
      const wrong = wrongMessage(message)
      if (wrong !== undefined) return refuse(wrong, 'validation')
      const opened = await openGit(host)
      if (opened.kind === 'refused') return opened
      const paths = await pathsOf(input.paths, opened, host)
      if (paths && 'kind' in paths) return paths

      const order = { paths, checkPath: host.checkPath }
      const root = printablePath(opened.repository.root)
      const planned = await withDraft(
        opened,
        { ...order, keepsObjects: false },
        signal,
        async ({ draft, committer }) => ({
          kind: 'planned' as const,
          ref: draft.ref,
          state: stateOf(draft, committer),
          preview: commitPreview(draft, committer, message),
        }),
      ).catch((failure: unknown) => {
        signal.throwIfAborted()
        return failedPlan(failure, root)
      })
      if (planned.kind !== 'planned') return planned
      const { ref, state, preview } = planned
      return {
        kind: 'plan',
        target: `${root} (${branchName(ref)})`,
        origin: ORIGIN,
        question: { preview, state },
        async carryOut(until) {
          // This draft will be committed, so it must equal the one that the person saw.
          const result = await withDraft<ToolText>(
            opened,
            { ...order, keepsObjects: true },
            until,
            async (drafted) =>
              stateOf(drafted.draft, drafted.committer) === state
                ? carryOutCommit({ ...drafted, message, isPartial: paths !== undefined })
                : CHANGED,
          )
          return result.kind === 'refused' ? failed(result.text, result.code) : result
        },
      }
    },
  }
}

const ORIGIN = 'git commit'

/** Git's errors quote the repository, so they are returned as a fenced result. */
const failedPlan = (failure: unknown, target: string): Plan => ({
  kind: 'plan',
  target,
  origin: ORIGIN,
  carryOut: async () => failed(failure instanceof Error ? failure.message : String(failure)),
})

interface Drafted {
  readonly isolated: IsolatedGit
  readonly draft: Draft
  readonly committer: Committer
}

const withDraft = <Result>(
  opened: OpenedGit,
  order: DraftOrder,
  signal: AbortSignal,
  use: (drafted: Drafted) => Promise<Result>,
): Promise<Result | Refusal> =>
  withIsolatedGit<Result>(opened, signal, async (isolated) => {
    const committer = await findCommitter(opened, isolated.settings, signal)
    if (committer.kind === 'refused') return committer
    const draft = await draftCommit(isolated, order)
    return draft.kind === 'refused' ? draft : use({ isolated, draft, committer })
  })

const stateOf = ({ tree, parent, ref }: Draft, { name, email }: Committer): string =>
  JSON.stringify([tree, parent ?? '', ref, name, email])

const CHANGED = failed(
  'Nothing was committed: the files or the branch have changed since the person saw them. Call git_commit again.',
)

function wrongMessage(message: string): string | undefined {
  if (message === '\n') return 'The message is empty. Say what the commit does.'
  return /(?![\n\t])\p{Cc}|\p{Cs}/u.test(message)
    ? 'The message has control characters. Write it as plain text.'
    : undefined
}

async function pathsOf(
  given: readonly string[] | undefined,
  opened: OpenedGit,
  { checkPath }: GitToolsHost,
): Promise<readonly string[] | Refusal | undefined> {
  if (!given) return undefined
  const paths: string[] = []
  for (const each of given) {
    const path = await gitPath(each, opened, checkPath)
    if (typeof path !== 'string') return path
    paths.push(path)
  }
  return paths
}

const MOST_FILES = 100

/** The preview for the person. Everything but the diff is indented, so a message cannot look like a change. */
function commitPreview({ ref, changes, diff }: Draft, { name, email }: Committer, message: string): Preview {
  const files = changes.slice(0, MOST_FILES).map(({ letter, path }) => `${letter} ${printablePath(path)}`)
  const more = changes.length - files.length
  const lines = [
    `Commit to ${branchName(ref)} by ${name} <${email}>`,
    ...message
      .trimEnd()
      .split('\n')
      .map((line) => `    ${line}`.trimEnd()),
    `Files (${changes.length}):`,
    ...files.map((file) => `    ${file}`),
    ...(more > 0 ? [`    and ${more} more`] : []),
    diff,
  ]
  return { kind: 'diff', text: visibleText(lines.join('\n')) }
}

/** Escapes characters in untrusted text that could hide, reverse or overwrite parts of it. */
const visibleText = (text: string): string =>
  text
    .toWellFormed()
    .replace(
      /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu,
      (hidden) => `\\u{${hidden.codePointAt(0)?.toString(16)}}`,
    )
