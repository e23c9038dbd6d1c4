import { type SessionCosts, shortMoneyOf } from '@parley/contracts'

/** What a session has cost, as far as prices are known; undefined where it took no model that is paid for. */
export function costsInWords(costs: SessionCosts): string | undefined {
  const all = Object.values(costs)
  const microcents = all.reduce((sum, cost) => sum + cost.microcents, 0)
  const isUnpriced = all.some(({ unpricedSteps = 0 }) => unpricedSteps > 0)
  if (microcents === 0) return isUnpriced ? 'price not known' : undefined
  return isUnpriced ? `${shortMoneyOf(microcents)} and more` : shortMoneyOf(microcents)
}
