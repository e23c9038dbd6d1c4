import type { ToolPolicy } from '../tool-policy.ts'

type Match =
  /** `entry` is what the person wrote in their config. */
  { readonly kind: 'exact' | 'glob'; readonly entry: string } | { readonly kind: 'none' }

/** What of the person's config allows a command line, if anything does. */
export function matchCommand(
  command: string,
  policy: Pick<ToolPolicy, 'allowedCommands' | 'allowedCommandGlobs'>,
): Match {
  if (policy.allowedCommands.includes(command)) return { kind: 'exact', entry: command }
  const entry = policy.allowedCommandGlobs.find((glob) => isLike(command, glob))
  return entry === undefined ? { kind: 'none' } : { kind: 'glob', entry }
}

/**
 * `*` stands for any run of plain characters; nothing else is special. What it stands for neither begins with "-" nor
 * has a word that does: a glob lets nobody add options, which often say what else a program is to run.
 */
function isLike(command: string, glob: string): boolean {
  const [first = '', ...rest] = glob.split('*')
  if (!command.startsWith(first)) return false
  // The places that the parts so far may end at; as many as the command has, so no glob takes long.
  let ends = new Set([first.length])
  for (const part of rest) ends = endsOf(command, part, ends)
  return ends.has(command.length)
}

function endsOf(command: string, part: string, starts: ReadonlySet<number>): Set<number> {
  const ends = new Set<number>()
  let isUnderWay = false
  for (let at = 0; at <= command.length; at += 1) {
    const isStart = starts.has(at)
    if ((isStart || isUnderWay) && command.startsWith(part, at)) ends.add(at + part.length)
    const next = command.charAt(at)
    isUnderWay =
      next === '-'
        ? isUnderWay && command.charAt(at - 1) !== ' '
        : (isStart || isUnderWay) && PLAIN.test(next)
  }
  return ends
}

const PLAIN = /^[^\p{Cc};&|<>`$(){}\\"'#~!]$/u
