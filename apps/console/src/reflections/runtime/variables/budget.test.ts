import type { PreviewedVariable, VariablesPreview } from '@parley/contracts'
import { expect, test } from 'vitest'
import { measureBudget, sortByImportance } from './budget.tsx'

const variable = (name: string, length: number, rank?: number): PreviewedVariable => ({
  name,
  fate: 'sent',
  why: '',
  isCuttable: rank !== undefined && rank < 10,
  value: 'x'.repeat(length),
  whole: length,
  ...(rank !== undefined && { rank }),
})

const createPreview = (
  variables: readonly PreviewedVariable[],
  budget: Partial<VariablesPreview['budget']>,
): VariablesPreview => ({
  plan: { kind: 'refused', code: 'forbidden', message: '', because: [] },
  variables: [...variables],
  budget: { most: 10_000, wanted: 0, used: 0, isOver: false, ...budget },
  warnings: [],
})

test('[V8] the most important variable comes first', () => {
  const names = sortByImportance([
    variable('capsule', 1, 0),
    variable('user', 1, 13),
    variable('id', 1),
    variable('recap', 1, 3),
  ])
  expect(names.map(({ name }) => name)).toEqual(['id', 'user', 'recap', 'capsule'])
})

test('[V8] the bar is as long as the budget, with a segment for each sent variable', () => {
  const parts = measureBudget(
    createPreview([variable('a', 2_500, 3), variable('b', 0, 2)], { wanted: 2_500, used: 2_500 }),
  )
  expect(parts).toEqual({ sent: [{ name: 'a', length: 2_500, share: 25 }], cut: 0, limit: 100 })
})

test('[V8] a bar over budget is longer, and shows the cut part', () => {
  const parts = measureBudget(
    createPreview([variable('a', 5_000, 3)], { wanted: 20_000, used: 5_000, most: 5_000 }),
  )
  expect(parts).toMatchObject({ cut: 75, limit: 25 })
})
