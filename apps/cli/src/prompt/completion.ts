import { type LineState, replace } from './line-state.ts'
import type { Key } from './key.ts'

export interface Candidate {
  /** What is put into the line. */
  readonly text: string
  readonly note?: string
}

/** What could stand in a part of the line. */
export interface Completion {
  readonly from: number
  readonly to: number
  readonly candidates: readonly Candidate[]
}

/** Undefined where there is nothing to complete. */
export type Complete = (text: string, cursor: number) => Promise<Completion | undefined>

/** A choice among several candidates. */
export interface Menu {
  readonly completion: Completion
  /** -1 while none is chosen. */
  readonly chosen: number
  /** The line as it stood before. */
  readonly before: LineState
}

export interface Completed {
  readonly line: LineState
  /** Open while there are several. */
  readonly menu?: Menu
}

/** The only candidate is taken; of several, what they have in common. */
export function beginCompletion(line: LineState, completion: Completion): Completed {
  const { from, to, candidates } = completion
  const [only, another] = candidates
  if (!only) return { line }
  if (!another) return { line: replace(line, from, to, only.text) }
  const common = commonStart(candidates.map(({ text }) => text))
  const longer = common.length > to - from ? replace(line, from, to, common) : line
  return {
    line: longer,
    menu: { completion: { ...completion, to: longer.cursor }, chosen: -1, before: longer },
  }
}

/** Undefined where the key is not for the menu, which is then closed. */
export function chooseCandidate(menu: Menu, key: Key): Completed | undefined {
  const { completion, chosen, before } = menu
  const { candidates, from, to } = completion
  const step = STEPS[key.name]
  if (step !== undefined) {
    const next = (Math.max(chosen, step > 0 ? -1 : 0) + step + candidates.length) % candidates.length
    const text = candidates[next]?.text ?? ''
    return { line: replace(before, from, to, text), menu: { ...menu, chosen: next } }
  }
  if (key.name === 'escape') return { line: before }
  const taken = candidates[chosen]
  return key.name === 'enter' && taken ? { line: replace(before, from, to, taken.text) } : undefined
}

const STEPS: Partial<Record<Key['name'], 1 | -1>> = { complete: 1, down: 1, 'complete-back': -1, up: -1 }

function commonStart(texts: readonly string[]): string {
  const [first = '', ...others] = texts
  let length = first.length
  for (const other of others) {
    while (!other.startsWith(first.slice(0, length))) length -= 1
  }
  return first.slice(0, length)
}
