import type { SessionCosts, Usage } from '@parley/contracts'
import type { ModelPort, Price } from '../ports/model.ts'

/** The tokens and cost of one model step. */
export interface StepCost {
  /** `provider/model`. */
  readonly model: string
  readonly usage: Usage
  /** Undefined if the price is unknown. */
  readonly microcents?: number
}

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0 }

export function addUsage(a: Usage, b: Usage): Usage {
  const cached = (a.cachedInputTokens ?? 0) + (b.cachedInputTokens ?? 0)
  const written = (a.cacheWriteTokens ?? 0) + (b.cacheWriteTokens ?? 0)
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    ...(cached > 0 && { cachedInputTokens: cached }),
    ...(written > 0 && { cacheWriteTokens: written }),
  }
}

const MILLION = 1_000_000n

/** Whole micro-cents, rounded up, so a step is never undercounted. */
export function calculateMicrocents(usage: Usage, price: Price): number {
  const { inputTokens, outputTokens, cachedInputTokens = 0, cacheWriteTokens = 0 } = usage
  const plain = Math.max(0, inputTokens - cachedInputTokens - cacheWriteTokens)
  const parts =
    multiplyExactly(plain, price.input) +
    multiplyExactly(cachedInputTokens, price.cachedInput ?? price.input) +
    multiplyExactly(cacheWriteTokens, price.cacheWrite ?? price.input) +
    multiplyExactly(outputTokens, price.output)
  return limitToSafeInteger((parts + MILLION - 1n) / MILLION)
}

/** Exact for any size: the product may exceed the safe integer range. */
const multiplyExactly = (tokens: number, price: number): bigint => BigInt(tokens) * BigInt(Math.ceil(price))

const limitToSafeInteger = (amount: bigint | number): number =>
  Math.min(Number(amount), Number.MAX_SAFE_INTEGER)

export function createStepCost({ provider, modelId, price }: ModelPort, usage: Usage): StepCost {
  const model = `${provider}/${modelId}`
  return { model, usage, ...(price && { microcents: calculateMicrocents(usage, price) }) }
}

/** The session's costs after one more step. */
export function addStepCost(costs: SessionCosts, { model, usage, microcents }: StepCost): SessionCosts {
  const before = costs[model] ?? { inputTokens: 0, outputTokens: 0, microcents: 0 }
  const unpriced = (before.unpricedSteps ?? 0) + (microcents === undefined ? 1 : 0)
  return {
    ...costs,
    [model]: {
      inputTokens: before.inputTokens + usage.inputTokens,
      outputTokens: before.outputTokens + usage.outputTokens,
      microcents: limitToSafeInteger(before.microcents + (microcents ?? 0)),
      ...(unpriced > 0 && { unpricedSteps: unpriced }),
    },
  }
}

export const sumCosts = (costs: SessionCosts): number =>
  limitToSafeInteger(Object.values(costs).reduce((sum, { microcents }) => sum + microcents, 0))
