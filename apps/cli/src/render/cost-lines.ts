import { type ModelCost, moneyOf, type SessionCosts } from '@parley/contracts'

/** What all models of a session cost together. */
export function totalCost(costs: SessionCosts): Required<Pick<ModelCost, 'microcents' | 'unpricedSteps'>> {
  const all = Object.values(costs)
  return {
    microcents: all.reduce((sum, { microcents }) => sum + microcents, 0),
    unpricedSteps: all.reduce((sum, { unpricedSteps = 0 }) => sum + unpricedSteps, 0),
  }
}

/** A line for each model, and one for all where there are several; what nobody knows the price of is said to be unknown. */
export function costLines(costs: SessionCosts): readonly string[] {
  const lines = Object.entries(costs).map(
    ([model, cost]) => `${model}: ${amountOf(cost)} (${tokensOf(cost)})`,
  )
  return lines.length > 1 ? [...lines, `In all: ${amountOf(totalCost(costs))}`] : lines
}

function amountOf({
  microcents,
  unpricedSteps = 0,
}: Pick<ModelCost, 'microcents' | 'unpricedSteps'>): string {
  if (unpricedSteps === 0) return moneyOf(microcents)
  const steps = unpricedSteps === 1 ? 'the price of 1 step' : `the price of ${unpricedSteps} steps`
  return microcents === 0 ? `unknown, ${steps}` : `${moneyOf(microcents)} and, unknown, ${steps}`
}

const tokensOf = ({ inputTokens, outputTokens }: ModelCost): string =>
  `${inputTokens.toLocaleString('en')} tokens in, ${outputTokens.toLocaleString('en')} out`
