import type { SessionCosts } from '@parley/contracts'
import { expect, test } from 'vitest'
import { addedCosts } from './watch-store.ts'

const cost = (microcents: number) => ({ inputTokens: 1, outputTokens: 1, microcents })

test.each<[string, SessionCosts, SessionCosts, ReturnType<typeof addedCosts>]>([
  ['a first step', {}, { 'a/one': cost(5) }, [['a/one', 5]]],
  ['a further one', { 'a/one': cost(5) }, { 'a/one': cost(8) }, [['a/one', 3]]],
  [
    'another model beside one that cost nothing more',
    { 'a/one': cost(5) },
    { 'a/one': cost(5), 'b/two': cost(2) },
    [['b/two', 2]],
  ],
  ['a model that is free', {}, { 'offline/offline': cost(0) }, []],
])('%s', (_, before, after, expected) => {
  expect(addedCosts(before, after)).toEqual(expected)
})
