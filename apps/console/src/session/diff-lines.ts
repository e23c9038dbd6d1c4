export interface DiffLine {
  readonly kind: 'added' | 'removed' | 'same' | 'about'
  readonly text: string
}

/** A unified diff, line by line, without the marks. Only the heads of hunks tell a line `--- x` from the name of a file. */
export function diffLines(diff: string): readonly DiffLine[] {
  let left: LinesLeft = NONE_LEFT
  return diff
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => {
      const isWithin = left.old > 0 || left.new > 0
      if (!isWithin || left === NOT_KNOWN) {
        const head = HUNK.exec(line)
        if (head) left = { old: Number(head[1] ?? 1), new: Number(head[2] ?? 1) }
        if (line.startsWith('diff --git ')) left = NONE_LEFT
        if (head || ABOUT.test(line) || (!isWithin && NAMES_FILE.test(line))) return about(line)
      }
      if (LEFT_OUT.test(line)) {
        left = NOT_KNOWN
        return about(line)
      }
      const told = lineOf(line)
      left = after(told, left)
      return told
    })
}

/** How many lines of either side are still to come in a hunk. */
interface LinesLeft {
  readonly old: number
  readonly new: number
}

const NONE_LEFT: LinesLeft = { old: 0, new: 0 }
/** Where the middle of the diff is left out. */
const NOT_KNOWN: LinesLeft = { old: Infinity, new: Infinity }

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/
const ABOUT = /^(?:diff --git |index |={5,}$)/
const NAMES_FILE = /^(?:---|\+\+\+) /
const LEFT_OUT = /^… \d+ lines are not shown here …$/

const about = (text: string): DiffLine => ({ kind: 'about', text })

const KINDS: Readonly<Record<string, DiffLine['kind']>> = { '+': 'added', '-': 'removed', ' ': 'same' }

function lineOf(line: string): DiffLine {
  const kind = line === '' ? 'same' : KINDS[line.charAt(0)]
  return kind ? { kind, text: line.slice(1) } : about(line)
}

function after({ kind }: DiffLine, left: LinesLeft): LinesLeft {
  if (left === NOT_KNOWN || kind === 'about') return left
  return {
    old: left.old - (kind === 'added' ? 0 : 1),
    new: left.new - (kind === 'removed' ? 0 : 1),
  }
}
