export interface ChangedLine {
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
