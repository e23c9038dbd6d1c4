import { VARIABLES_BUDGET } from '@parley/contracts'
import { useEffect, useId, useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import type { LookInAddress } from './look-in-address.ts'
import { useLookChange } from './use-look.ts'

/** So long after the last touch the server is asked. */
const REST_MS = 200

/** What if there were less room: what is cut then, and in which order. */
export function BudgetField({ look }: { look: LookInAddress }) {
  const change = useLookChange(look)
  const asked = look.budget ?? VARIABLES_BUDGET
  const [budget, setBudget] = useState(asked)
  const [answered, setAnswered] = useState(asked)
  if (answered !== asked) {
    setAnswered(asked)
    setBudget(asked)
  }
  const id = useId()
  const isWhole = budget === VARIABLES_BUDGET
  useEffect(() => {
    if (budget === asked) return undefined
    const rest = setTimeout(() => change({ budget: isWhole ? undefined : budget }), REST_MS)
    return () => clearTimeout(rest)
  }, [budget, asked, isWhole, change])
  return (
    <div className="flex flex-col gap-1 text-sm">
      <label htmlFor={id} className="font-medium">
        What if there were room for {budget.toLocaleString('en-GB')} characters?
      </label>
      <div className="flex flex-wrap items-center gap-x-3">
        <input
          id={id}
          type="range"
          min={0}
          max={VARIABLES_BUDGET}
          step={50}
          value={budget}
          onChange={({ target }) => setBudget(target.valueAsNumber)}
          className="h-9 w-80 max-w-full max-sm:h-11"
        />
        <Button look="bare" aria-disabled={isWhole} onClick={() => setBudget(VARIABLES_BUDGET)}>
          As it is
        </Button>
      </div>
      <p className="text-soft max-w-prose leading-6">
        The budget itself is fixed. What has the lowest rank is cut first; ranks 10 and above, and what has
        none, are never cut.
      </p>
    </div>
  )
}
