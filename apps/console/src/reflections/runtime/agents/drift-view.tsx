import type { AgentDrift, ServerAgentDrift } from '@parley/contracts'
import { DiffLineView } from '../../../ui/diff-line-view.tsx'
import { visibleText } from '../../../ui/visible-text.ts'
import { Mark } from '../mark.tsx'

const STATUSES: Readonly<
  Record<AgentDrift['status'], { readonly label: string; readonly look: 'good' | 'bad' | 'quiet' }>
> = {
  as_wanted: { label: 'As it should be', look: 'good' },
  differs: { label: 'Differs', look: 'bad' },
  gone: { label: 'Gone from the provider', look: 'bad' },
  not_made: { label: 'Not made yet', look: 'quiet' },
  not_comparable: { label: 'Nothing to compare with yet', look: 'quiet' },
}

export function DriftView({ name, drift }: { name: string; drift: AgentDrift | ServerAgentDrift }) {
  const { label, look } = STATUSES[drift.status]
  return (
    <li className="flex flex-col gap-3 py-3.5 text-sm leading-6">
      <div className="flex flex-wrap items-center gap-3">
        <h3 className="font-medium">{name}</h3>
        <Mark look={look}>{label}</Mark>
      </div>
      {drift.why.map((why) => (
        <p key={why} className="max-w-prose">
          {visibleText(why)}
        </p>
      ))}
      {drift.differences.map((difference) => (
        <figure key={difference.path} className="flex flex-col gap-1">
          <figcaption className="font-mono text-xs">{visibleText(difference.path)}</figcaption>
          <div
            role="group"
            aria-label={`What differs in ${difference.path}`}
            tabIndex={0}
            className="bg-shade border-line max-h-80 overflow-auto rounded-sm border py-1.5 font-mono text-xs leading-5"
          >
            {fieldLines(difference).map((line, index) => (
              <DiffLineView key={index} {...line} />
            ))}
          </div>
        </figure>
      ))}
      {drift.beyond.length > 0 && (
        <div>
          <p>It also has what no agent of ours has:</p>
          <ul className="list-disc ps-5">
            {drift.beyond.map((path) => (
              <li key={path} className="font-mono text-xs leading-6 wrap-anywhere">
                {visibleText(path)}
              </li>
            ))}
          </ul>
        </div>
      )}
    </li>
  )
}

type Difference = AgentDrift['differences'][number]

/** A field that is not as it should be: what the provider holds goes, what should be there comes. */
export const fieldLines = ({ held, wanted }: Difference): readonly ChangedLine[] =>
  changedLines(linesOf(held), linesOf(wanted))

function linesOf(value: Difference['held']): readonly string[] {
  if (value === undefined) return []
  return (typeof value === 'string' ? value : JSON.stringify(value, null, 2)).split('\n')
}

interface ChangedLine {
  readonly kind: 'added' | 'removed' | 'same' | 'about'
  readonly text: string
}

/** So many lines around a change tell where it is. */
const AROUND = 2

/** What would have to change for one text to become the other, line by line; long stretches that are alike are left out. */
export function changedLines(before: readonly string[], after: readonly string[]): readonly ChangedLine[] {
  return folded(compared(before, after))
}

function compared(before: readonly string[], after: readonly string[]): readonly ChangedLine[] {
  const shared = sharedLengths(before, after)
  const lines: ChangedLine[] = []
  let one = 0
  let other = 0
  while (one < before.length || other < after.length) {
    const removed = before[one]
    const added = after[other]
    if (removed !== undefined && removed === added) {
      lines.push({ kind: 'same', text: removed })
      one += 1
      other += 1
    } else if (
      removed !== undefined &&
      lengthAt(shared, one + 1, other) >= lengthAt(shared, one, other + 1)
    ) {
      lines.push({ kind: 'removed', text: removed })
      one += 1
    } else {
      lines.push({ kind: 'added', text: added ?? '' })
      other += 1
    }
  }
  return lines
}

/** How many lines the rests have in common, in order. */
function sharedLengths(before: readonly string[], after: readonly string[]): readonly Uint32Array[] {
  const table = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1))
  for (let one = before.length - 1; one >= 0; one -= 1) {
    const row = table[one]
    if (!row) continue
    for (let other = after.length - 1; other >= 0; other -= 1) {
      row[other] =
        before[one] === after[other]
          ? lengthAt(table, one + 1, other + 1) + 1
          : Math.max(lengthAt(table, one + 1, other), lengthAt(table, one, other + 1))
    }
  }
  return table
}

/** Past the end of either there is nothing in common; and a line that is not there is never taken. */
const lengthAt = (table: readonly Uint32Array[], one: number, other: number): number =>
  table[one]?.[other] ?? -1

function folded(lines: readonly ChangedLine[]): readonly ChangedLine[] {
  const isNear = (index: number) =>
    lines.slice(Math.max(0, index - AROUND), index + AROUND + 1).some(({ kind }) => kind !== 'same')
  const shown: ChangedLine[] = []
  let left = 0
  const close = () => {
    if (left > 0)
      shown.push({ kind: 'about', text: left === 1 ? '… 1 line alike …' : `… ${left} lines alike …` })
    left = 0
  }
  for (const [index, line] of lines.entries()) {
    if (!isNear(index)) left += 1
    else {
      close()
      shown.push(line)
    }
  }
  close()
  return shown
}
