import { printablePath } from '../fs/printable-path.ts'
import { byNul, sortPaths } from './git-path.ts'
import type { CheckPath } from './open-git.ts'
import type { StandIn } from './with-stand-in.ts'

/** How differences are always asked for. */
export const PLAIN_DIFF = [
  '--no-renames',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--ignore-submodules=all',
]

/** What differs between the files and the index, or the index and the last commit; protected files are only named. */
export async function showChanges(
  standIn: StandIn,
  which: 'diff' | 'staged_diff',
  paths: readonly string[],
  checkPath: CheckPath,
): Promise<string> {
  const cached = which === 'staged_diff' ? ['--cached'] : []
  const listed = await standIn.git(['diff', ...cached, '--name-only', '-z', ...PLAIN_DIFF, '--', ...paths])
  const { readable, refused } = await sortPaths(
    [...new Set(byNul(listed))],
    standIn.repository.root,
    checkPath,
  )

  const parts: string[] = []
  for (const some of inPieces(readable)) {
    parts.push(await standIn.git(['diff', ...cached, '--patch', ...PLAIN_DIFF, '--', ...some]))
  }
  if (refused.length > 0)
    parts.push(
      `Changed too, but protected, hard links or no files, and not shown: ${refused.map(printablePath).join(', ')}`,
    )
  return parts.length > 0 ? parts.join('') : NOTHING[which]
}

const NOTHING = {
  diff: 'No file differs from what is staged. (New files that git does not follow yet are only in the status.)',
  staged_diff: 'Nothing is staged.',
}

const MOST_CHARACTERS = 60_000

/** As many paths at once as the system surely takes as arguments. */
function inPieces(paths: readonly string[]): readonly (readonly string[])[] {
  const pieces: string[][] = []
  let room = 0
  for (const path of paths) {
    room -= path.length + 1
    if (room < 0) {
      pieces.push([])
      room = MOST_CHARACTERS
    }
    pieces.at(-1)?.push(path)
  }
  return pieces
}
