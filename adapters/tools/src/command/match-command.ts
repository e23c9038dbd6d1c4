import type { ToolPolicy } from '../tool-policy.ts'

type CommandMatch =
  /** `entry` is the matching entry of the person's config. */
  { readonly kind: 'exact' | 'glob'; readonly entry: string } | { readonly kind: 'none' }

/** Finds the config entry that allows a command line. */
export function matchCommand(
  command: string,
  policy: Pick<ToolPolicy, 'allowedCommands' | 'allowedCommandGlobs'>,
): CommandMatch {
  if (policy.allowedCommands.includes(command)) return { kind: 'exact', entry: command }
  const entry = policy.allowedCommandGlobs.find((glob) => matchesPattern(command, glob))
  return entry === undefined ? { kind: 'none' } : { kind: 'glob', entry }
}

/** Explains why a command almost matches a glob. */
export function explainNearMiss(
  command: string,
  { allowedCommandGlobs }: Pick<ToolPolicy, 'allowedCommandGlobs'>,
): string | undefined {
  for (const glob of allowedCommandGlobs) {
    const fits = `It would match ${JSON.stringify(glob)}, but contains`
    if (matchesPattern(command, glob, { isPlain, mayHaveOptions: true }))
      return `${fits} ${JSON.stringify(findFirstOption(command, glob))}, and a glob never matches an option.`
    if (!matchesPattern(command, glob, { isPlain: () => true, mayHaveOptions: true })) continue
    const odd = Array.from(command).find((each) => !isPlain(each) && !glob.includes(each))
    return `${fits} ${odd === undefined ? 'a shell character' : odd}, which a glob never matches.`
  }
  return undefined
}

const findFirstOption = (command: string, glob: string): string =>
  command.split(' ').find((word) => word.startsWith('-') && !glob.split(' ').includes(word)) ?? '-'

interface Leniency {
  readonly isPlain: (character: string) => boolean
  readonly mayHaveOptions: boolean
}

/**
 * `*` matches any run of plain characters; nothing else is special. No matched word may begin with "-": a glob never
 * allows extra options, which often make a program run something else.
 */
function matchesPattern(command: string, glob: string, leniency: Leniency = STRICT): boolean {
  const [first = '', ...rest] = glob.split('*')
  if (!command.startsWith(first)) return false
  // Possible end offsets of the parts so far; at most the command's length, so no glob takes long.
  let ends = new Set([first.length])
  for (const part of rest) ends = findEnds(command, part, ends, leniency)
  return ends.has(command.length)
}

function findEnds(
  command: string,
  part: string,
  starts: ReadonlySet<number>,
  { isPlain: isAllowed, mayHaveOptions }: Leniency,
): Set<number> {
  const ends = new Set<number>()
  let isInMatch = false
  for (let at = 0; at <= command.length; at += 1) {
    const isStart = starts.has(at)
    if ((isStart || isInMatch) && command.startsWith(part, at)) ends.add(at + part.length)
    const next = command.charAt(at)
    isInMatch =
      next === '-' && !mayHaveOptions
        ? isInMatch && command.charAt(at - 1) !== ' '
        : (isStart || isInMatch) && isAllowed(next)
  }
  return ends
}

const isPlain = (character: string): boolean => /^[^\p{Cc};&|<>`$(){}\\"'#~!]$/u.test(character)

const STRICT: Leniency = { isPlain, mayHaveOptions: false }
