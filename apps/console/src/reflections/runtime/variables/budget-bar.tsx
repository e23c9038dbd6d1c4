import type { VariablesLook } from '@parley/contracts'
import { budgetSegments } from './budget-segments.ts'

/** How much of the budget each variable takes, and what did not fit. */
export function BudgetBar({ look }: { look: VariablesLook }) {
  const { used, most, wanted } = look.budget
  const { sent, cut, limit } = budgetSegments(look)
  const words = `${count(used)} of ${count(most)} characters${wanted > used ? `, ${count(wanted - used)} cut` : ''}`
  return (
    <div className="flex flex-col gap-1.5">
      <p role="status" className="text-sm tabular-nums">
        {words}
      </p>
      <div role="img" aria-label={`Budget: ${words}`} className="relative">
        <div className="bg-shade border-line flex h-7 overflow-hidden rounded-sm border">
          {sent.map(({ name, length, share }, index) => (
            <span
              key={name}
              title={`${name}: ${count(length)}`}
              className="border-paper h-full shrink-0 border-e"
              style={{ width: `${share}%`, backgroundColor: tint(index) }}
            />
          ))}
          <span className="bg-removed h-full shrink-0" style={{ width: `${cut}%` }} />
        </div>
        <span
          className="bg-alarm absolute -top-1 -bottom-1 w-0.5"
          style={{ insetInlineStart: `calc(${limit}% - 2px)` }}
        />
      </div>
    </div>
  )
}

const count = (number: number): string => number.toLocaleString('en-GB')

const TINTS = [100, 62, 82, 46]

/** Neighbours differ; which is which stands in the list below. */
const tint = (index: number): string =>
  `color-mix(in oklab, var(--accent) ${TINTS[index % TINTS.length]}%, var(--paper))`
