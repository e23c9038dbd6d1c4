import { shortMoneyOf } from '@parley/contracts'

/** How a conversation stands, as far as that is known. */
export interface Status {
  readonly agent?: string | undefined
  readonly model?: string | undefined
  readonly provider?: string | undefined
  /** From 0 to 1, of what the model can read at once. */
  readonly contextUsed?: number | undefined
  readonly microcents?: number | undefined
  /** Steps whose price nobody knows. */
  readonly unpricedSteps?: number | undefined
}

/** One quiet line; an agent that is called like its model is named once. */
export function statusLine({ agent, model, contextUsed, ...cost }: Status): string {
  const isSame = agent?.toLowerCase() === model?.toLowerCase()
  return [
    agent,
    isSame ? undefined : model,
    contextUsed === undefined ? undefined : `${Math.round(contextUsed * 100)} % of context`,
    costOf(cost),
  ]
    .filter((part) => part !== undefined)
    .join(' · ')
}

function costOf({ microcents, unpricedSteps = 0 }: Pick<Status, 'microcents' | 'unpricedSteps'>) {
  if (microcents === undefined) return undefined
  if (unpricedSteps === 0) return shortMoneyOf(microcents)
  return microcents === 0 ? 'cost unknown' : `${shortMoneyOf(microcents)} and unknown`
}
