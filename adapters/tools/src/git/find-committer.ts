import { refuse, type Refusal } from '@parley/engine'
import type { OpenedGit } from './open-git.ts'
import { GIT_VARIABLES, runGit } from './run-git.ts'
import { type Settings, settingsOf } from './stand-in-config.ts'

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
