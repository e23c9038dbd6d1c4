import { expect, test } from 'vitest'
import { besideInAddress } from './beside-in-address.ts'

test.each<[unknown, object]>([
  [3, { beside: 3 }],
  [undefined, {}],
  [0, {}],
  [1.5, {}],
  ['x', {}],
])('the version to compare with, read from %j', (beside, expected) => {
  expect(besideInAddress({ beside })).toEqual(expected)
})
