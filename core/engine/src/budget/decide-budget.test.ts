import { expect, test } from 'vitest'
import { type Budget, type BudgetDecision, decideBudget, type PlannedStep } from './decide-budget.ts'

const step: PlannedStep = {
  model: { provider: 'test', modelId: 'm', price: { input: 1_000_000, output: 2_000_000 } },
  inputTokens: 100,
  maxTokens: 50,
  spentMicrocents: 0,
}
const unpricedStep = { ...step, model: { provider: 'test', modelId: 'm' } }

test.each<[string, PlannedStep, Budget, BudgetDecision['kind']]>([
  ['no budget', { ...step, spentMicrocents: 1e15 }, { onExceed: 'fail' }, 'go'],
  ['exactly the budget', step, { onExceed: 'fail', maxCostMicrocents: 200 }, 'go'],
  ['one micro-cent more, of input and output', step, { onExceed: 'fail', maxCostMicrocents: 199 }, 'fail'],
  [
    'earlier spending counts',
    { ...step, spentMicrocents: 1 },
    { onExceed: 'fail', maxCostMicrocents: 200 },
    'fail',
  ],
  ['to be warned', step, { onExceed: 'warn', maxCostMicrocents: 199 }, 'warn'],
  ['to be asked', step, { onExceed: 'pause_for_approval', maxCostMicrocents: 199 }, 'pause'],
  ['an unknown price is refused', unpricedStep, { onExceed: 'fail', maxCostMicrocents: 1e9 }, 'fail'],
  [
    'nothing is left',
    { ...step, inputTokens: 0, maxTokens: 1 },
    { onExceed: 'fail', maxCostMicrocents: 0 },
    'fail',
  ],
])('[S8] %s', (_, planned, budget, expected) => {
  expect(decideBudget(planned, budget).kind).toBe(expected)
})

test('[S8] a refusal shows the estimated cost and how to fix it', () => {
  const decision = decideBudget(step, { onExceed: 'fail', maxCostMicrocents: 150 })
  expect(decision).toMatchObject({
    error: {
      code: 'budget_exceeded',
      retryable: false,
      message: expect.stringMatching(/\$0\.000002;.*\$0\.0000015 .*Raise/),
    },
  })
  expect(decideBudget(unpricedStep, { onExceed: 'fail', maxCostMicrocents: 1 })).toMatchObject({
    error: { message: expect.stringContaining('price of test/m is not known') },
  })
})
