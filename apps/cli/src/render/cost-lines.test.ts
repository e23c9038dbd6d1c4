import { expect, test } from 'vitest'
import { costLines, totalCost } from './cost-lines.ts'

const small = { inputTokens: 1_200, outputTokens: 30, microcents: 1_230_000 }
const local = { inputTokens: 9, outputTokens: 2, microcents: 0, unpricedSteps: 2 }

test('[S8] each model has its line; several have a sum', () => {
  expect(costLines({})).toEqual([])
  expect(costLines({ 'a/small': small })).toEqual(['a/small: $0.0123 (1,200 tokens in, 30 out)'])
  expect(costLines({ 'a/small': small, 'b/large': { ...small, microcents: 1 } })).toEqual([
    'a/small: $0.0123 (1,200 tokens in, 30 out)',
    'b/large: $0.00000001 (1,200 tokens in, 30 out)',
    'In all: $0.01230001',
  ])
})

test('[S11] an unknown price is said as unknown, never as nothing', () => {
  expect(costLines({ 'l/x': local })).toEqual(['l/x: unknown, the price of 2 steps (9 tokens in, 2 out)'])
  expect(costLines({ 'a/small': small, 'l/x': { ...local, unpricedSteps: 1 } }).at(-1)).toBe(
    'In all: $0.0123 and, unknown, the price of 1 step',
  )
  expect(totalCost({ 'a/small': small, 'l/x': local })).toEqual({ microcents: 1_230_000, unpricedSteps: 2 })
})
