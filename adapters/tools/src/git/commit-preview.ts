import type { Preview } from '@parley/contracts'
import { printablePath } from '../fs/printable-path.ts'
import type { Committer } from './find-committer.ts'
import type { Draft } from './draft-commit.ts'
import { branchName } from './show-status.ts'
import { visibleText } from './visible-text.ts'

const MOST_FILES = 100

/** What a person is asked about. All but the changes is indented, so that no message looks like a change. */
export function commitPreview(
  { ref, changes, diff }: Draft,
  { name, email }: Committer,
  message: string,
): Preview {
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
