import type { AgentDrift } from '@parley/contracts'
import { type ChangedLine, changedLines } from './changed-lines.ts'

type Difference = AgentDrift['differences'][number]

/** A field that is not as it should be: what the provider holds goes, what should be there comes. */
export const fieldLines = ({ held, wanted }: Difference): readonly ChangedLine[] =>
  changedLines(linesOf(held), linesOf(wanted))

function linesOf(value: Difference['held']): readonly string[] {
  if (value === undefined) return []
  return (typeof value === 'string' ? value : JSON.stringify(value, null, 2)).split('\n')
}
