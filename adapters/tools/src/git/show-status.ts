import { printablePath } from '../fs/printable-path.ts'
import { byNul } from './git-path.ts'
import type { StandIn } from './with-stand-in.ts'

/** The branch, and one line for each file that is changed, staged or new: two letters as git gives them, and its path. */
export async function showStatus(standIn: StandIn, paths: readonly string[]): Promise<string> {
  const listed = await standIn.git([
    'status',
    '--porcelain=v1',
    '-z',
    '--untracked-files=normal',
    '--ignore-submodules=all',
    '--no-renames',
    '--',
    ...paths,
  ])
  const lines = byNul(listed).map((entry) => `${entry.slice(0, 2)} ${printablePath(entry.slice(3))}`)
  return [headline(standIn), ...(lines.length > 0 ? lines : ['Nothing is changed.'])].join('\n')
}

function headline({ ref, commit }: StandIn): string {
  const where =
    ref === undefined ? `No branch is checked out; at ${commit ?? 'nothing'}` : `On ${branchName(ref)}`
  return commit === undefined ? `${where}, which has no commits yet.` : `${where}.`
}

/** As a person calls it. */
export const branchName = (ref: string): string =>
  printablePath(ref.replace(/^refs\/heads\//, '')).slice(0, 80)
