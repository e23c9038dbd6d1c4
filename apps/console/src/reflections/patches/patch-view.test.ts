import type { PersonId } from '@parley/contracts'
import { expect, test } from 'vitest'
import { describeDecider } from './patch-view.tsx'

const members = [{ personId: 'per_2' as PersonId, label: 'Grace' }]

test.each([
  ['rule', 'automatically'],
  ['per_1', 'by you'],
  ['per_2', 'by Grace'],
  ['per_3', 'by a person'],
])('a decision by %s is shown as: %s', (decidedBy, expected) => {
  expect(describeDecider({ decidedBy, me: 'per_1', members })).toBe(expected)
})
