import type { SessionCosts } from '@parley/contracts'
import { expect, test } from 'vitest'
import { describeCosts } from './sessions-page.tsx'

const createCost = (microcents: number, unpricedSteps?: number) => ({
  inputTokens: 10,
  outputTokens: 10,
  microcents,
  ...(unpricedSteps !== undefined && { unpricedSteps }),
})

test.each<[string, SessionCosts, string | undefined]>([
  ['no model was used', {}, undefined],
  ['a model that is free', { 'offline/offline': createCost(0) }, undefined],
  ['two models', { 'a/x': createCost(100_000_000), 'b/y': createCost(50_000_000) }, '$1.50'],
  ['an unknown price', { 'a/x': createCost(0, 2) }, 'price unknown'],
  ['known and unknown prices', { 'a/x': createCost(100_000_000), 'b/y': createCost(0, 1) }, 'over $1.00'],
])('[S8] %s', (_, costs, expected) => {
  expect(describeCosts(costs)).toBe(expected)
})
