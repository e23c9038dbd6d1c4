import { byNul } from './git-path.ts'
import type { StandIn } from './with-stand-in.ts'

const MOST_BODY_LINES = 10

/** The last commits, newest first: of each its id, date, author, subject and the beginning of its text. */
export async function showLog(standIn: StandIn, count: number, paths: readonly string[]): Promise<string> {
  if (standIn.commit === undefined) return 'There are no commits yet.'
  const listed = await standIn.git([
    'log',
    `--max-count=${count}`,
    '--format=tformat:%h %aI %an <%ae>%n%B',
    '-z',
    '--no-patch',
    '--no-show-signature',
    '--no-color',
    '--no-mailmap',
    standIn.commit,
    '--',
    ...paths,
  ])
  const commits = byNul(listed).map(block)
  return commits.length > 0 ? commits.join('\n\n') : 'No commit concerns this path.'
}

function block(commit: string): string {
  const [head = '', ...message] = commit.trimEnd().split('\n')
  const shown = message.slice(0, MOST_BODY_LINES + 1).map((line) => `    ${line}`.trimEnd())
  return [head, ...shown, ...(message.length > shown.length ? ['    …'] : [])].join('\n')
}
