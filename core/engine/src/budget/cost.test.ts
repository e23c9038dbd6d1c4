import type { Usage } from '@parley/contracts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Price } from '../ports/model.ts'
import { addUsage, calculateMicrocents, sumCosts, addStepCost } from './cost.ts'

const sonnet: Price = {
  input: 300_000_000,
  output: 1_500_000_000,
  cachedInput: 30_000_000,
  cacheWrite: 375_000_000,
}

test.each<[string, Usage, Price, number]>([
  ['input and output', { inputTokens: 1_000, outputTokens: 100 }, sonnet, 450_000],
  ['a cache that is read', { inputTokens: 1_000, outputTokens: 0, cachedInputTokens: 900 }, sonnet, 57_000],
  [
    'a cache that is written',
    { inputTokens: 1_000, outputTokens: 0, cacheWriteTokens: 1_000 },
    sonnet,
    375_000,
  ],
  ['less than a micro-cent, rounded up', { inputTokens: 1, outputTokens: 0 }, { input: 1, output: 1 }, 1],
  [
    'more than a number can say exactly',
    { inputTokens: 49_999_999, outputTokens: 0 },
    { input: 1_000_000_000_001, output: 0 },
    49_999_999_000_050,
  ],
  ['nothing', { inputTokens: 0, outputTokens: 0 }, sonnet, 0],
  ['a free model', { inputTokens: 9_999, outputTokens: 9_999 }, { input: 0, output: 0 }, 0],
])('[S8] costs %s', (_, usage, price, expected) => {
  expect(calculateMicrocents(usage, price)).toBe(expected)
})

test('[S8] steps add up to the micro-cent, by model and in all', () => {
  const step = fc.record({
    model: fc.constantFrom('a/x', 'b/y', 'a/__proto__'),
    usage: fc.record({ inputTokens: fc.nat(1e6), outputTokens: fc.nat(1e5) }),
    microcents: fc.option(fc.nat(1e12), { nil: undefined }),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const costs = steps.reduce(
        (all, { microcents, ...rest }) =>
          addStepCost(all, { ...rest, ...(microcents !== undefined && { microcents }) }),
        {},
      )
      const sum = steps.reduce((total, { microcents = 0 }) => total + microcents, 0)
      expect(sumCosts(costs)).toBe(sum)
      const unpriced = Object.values<{ unpricedSteps?: number }>(costs).reduce(
        (total, { unpricedSteps = 0 }) => total + unpricedSteps,
        0,
      )
      expect(unpriced).toBe(steps.filter(({ microcents }) => microcents === undefined).length)
    }),
  )
})

test.each<[string, Usage, Usage, Usage]>([
  ['no cache', createUsage(1, 2), createUsage(10, 20), createUsage(11, 22)],
  ['a cache in the first', createUsage(1, 2, 3, 4), createUsage(10, 20), createUsage(11, 22, 3, 4)],
  ['a cache in the second', createUsage(1, 2), createUsage(10, 20, 30, 40), createUsage(11, 22, 30, 40)],
  ['a cache in both', createUsage(1, 2, 3, 4), createUsage(10, 20, 30, 40), createUsage(11, 22, 33, 44)],
])('[S8] the usage of two steps adds up: %s', (_, one, other, expected) => {
  expect(addUsage(one, other)).toStrictEqual(expected)
})

function createUsage(
  inputTokens: number,
  outputTokens: number,
  ...[cached, written]: readonly number[]
): Usage {
  return {
    inputTokens,
    outputTokens,
    ...(cached !== undefined && { cachedInputTokens: cached }),
    ...(written !== undefined && { cacheWriteTokens: written }),
  }
}
