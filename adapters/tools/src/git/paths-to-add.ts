import { refuse, type Refusal } from '@parley/engine'
import { printablePath } from '../fs/printable-path.ts'
import { byNul, NOT_TAKEN, sortPaths } from './git-path.ts'
import type { CheckPath } from './open-git.ts'
import { quoted, quotedList } from './quoted.ts'
import type { GitHow, StandIn } from './with-stand-in.ts'

interface Adding {
  readonly checkPath: CheckPath
  readonly how: GitHow
}

/** The files that differ from the last commit at or below these paths, new and removed ones too. */
export async function pathsToAdd(
  { git, repository }: StandIn,
  given: readonly string[],
  { checkPath, how }: Adding,
): Promise<readonly string[] | Refusal> {
  const within = given.includes('') ? [] : given
  const listed = [
    'ls-files',
    '-z',
    '--modified',
    '--deleted',
    '--others',
    '--exclude-standard',
    '--',
    ...within,
  ]
  const paths = [...new Set(byNul(await git(listed, how)))]
  for (const path of within) {
    const isKnown = paths.some((each) => each === path || each === `${path}/` || each.startsWith(`${path}/`))
    if (!isKnown) return refuse(await whyNothing(path, git, how), 'tool_failed', printablePath(path))
  }
  const submodules = byNul(await git(['ls-files', '--stage', '-z', '--', ...within], how))
    .filter((entry) => entry.startsWith('160000 '))
    .map((entry) => entry.slice(entry.indexOf('\t') + 1))
  const nested = paths.find((path) => path.endsWith('/') || submodules.includes(path))
  if (nested !== undefined) return no(nested, 'is a repository of its own, which is not committed from here')

  const { refused } = await sortPaths(paths, repository.root, checkPath)
  if (refused.length > 0)
    return refuse(`${NOT_TAKEN}: ${quotedList(refused)}. Name the other files one by one.`)
  // A filter is a program that turns a file into what is kept of it, and no program of a repository is run.
  const filters = byNul(
    await git(['check-attr', '-z', '--stdin', 'filter'], { ...how, input: paths.join('\0') }),
  )
  const filtered = filters.findIndex(
    (value, at) => at % 3 === 2 && value !== 'unspecified' && value !== 'unset',
  )
  if (filtered !== -1)
    return no(
      filters[filtered - 2] ?? '',
      `goes through the filter ${quoted(filters[filtered] ?? '')}, which is not run here`,
    )
  return paths
}

const no = (path: string, why: string): Refusal =>
  refuse(
    `${quoted(path)} ${why}. Ask the person to commit it themselves.`,
    'tool_denied',
    printablePath(path),
  )

async function whyNothing(path: string, git: StandIn['git'], how: GitHow): Promise<string> {
  const isTracked = (await git(['ls-files', '-z', '--', path], how)) !== ''
  return isTracked
    ? `${printablePath(path)} is as in the last commit, so there is nothing of it to commit.`
    : `${printablePath(path)} is not there, or git is told to ignore it.`
}
