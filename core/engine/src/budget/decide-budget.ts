import { formatMoney, type SessionCosts, type TurnError } from '@parley/contracts'
import type { ModelPort, ModelRequest } from '../ports/model.ts'
import { calculateMicrocents, sumCosts } from './cost.ts'
import { estimateRequestTokens } from './estimate-tokens.ts'

export interface Budget {
  readonly maxCostMicrocents?: number
  readonly onExceed: 'fail' | 'pause_for_approval' | 'warn'
}

/** A step that is about to be sent to a provider. */
export interface PlannedStep {
  readonly model: Pick<ModelPort, 'modelId' | 'provider' | 'price'>
  readonly inputTokens: number
  readonly maxTokens: number
  readonly spentMicrocents: number
}

export type BudgetDecision =
  | { readonly kind: 'go' }
  | { readonly kind: 'warn' | 'pause'; readonly maxMicrocents: number; readonly reason: string }
  | { readonly kind: 'fail'; readonly error: TurnError }

/** Whether this request may be sent to a provider. */
export const decideRequestBudget = (
  model: PlannedStep['model'],
  request: ModelRequest,
  costs: SessionCosts,
  budget: Budget,
): BudgetDecision =>
  decideBudget(
    {
      model,
      inputTokens: estimateRequestTokens(request),
      maxTokens: request.maxTokens,
      spentMicrocents: sumCosts(costs),
    },
    budget,
  )

/** Checks the step's highest possible cost: its input plus its full output limit. */
export function decideBudget(step: PlannedStep, { maxCostMicrocents, onExceed }: Budget): BudgetDecision {
  if (maxCostMicrocents === undefined) return { kind: 'go' }
  const reason = findReason(step, maxCostMicrocents)
  if (reason === undefined) return { kind: 'go' }
  if (onExceed === 'fail') {
    const error: TurnError = { code: 'budget_exceeded', message: `${reason} ${HOW_TO_FIX}`, retryable: false }
    return { kind: 'fail', error }
  }
  return { kind: onExceed === 'warn' ? 'warn' : 'pause', maxMicrocents: maxCostMicrocents, reason }
}

const HOW_TO_FIX = 'Raise max_cost_microcents, shorten the session, or use a cheaper model.'

function findReason(step: PlannedStep, maxMicrocents: number): string | undefined {
  const { model, inputTokens, maxTokens, spentMicrocents } = step
  if (!model.price) {
    return `The price of ${model.provider}/${model.modelId} is not known, so the session's budget of ${formatMoney(maxMicrocents)} cannot be enforced.`
  }
  const estimate = calculateMicrocents({ inputTokens, outputTokens: maxTokens }, model.price)
  if (spentMicrocents + estimate <= maxMicrocents) return undefined
  return `The next step may cost ${formatMoney(estimate)}; ${formatMoney(spentMicrocents)} of the session's ${formatMoney(maxMicrocents)} are spent.`
}
