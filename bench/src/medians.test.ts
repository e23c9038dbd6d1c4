import { expect, test } from 'vitest'
import { medians } from './medians.ts'

const { signal } = new AbortController()
const giving = (values: readonly number[]) => {
  let round = 0
  return async () => values[round++] ?? Number.NaN
}

test.each<[string, readonly number[], number]>([
  ['an odd number of rounds', [99, 3, 1, 2], 2],
  ['an even number of rounds', [99, 4, 1, 2, 9], 3],
  ['one round', [99, 7], 7],
])('the first round is not counted, and the middle one is the result: %s', async (_, values, expected) => {
  const rounds = values.length - 1
  expect(await medians({ one: giving(values) }, { rounds, signal, prepare: () => {} })).toEqual({
    one: expected,
  })
})

test('systems take turns, and who goes first changes with every round', async () => {
  const order: string[] = []
  const named = (name: string) => async () => order.push(name)
  const prepare = () => void order.push('-')
  await medians({ ours: named('ours'), floor: named('floor') }, { rounds: 2, signal, prepare })
  expect(order.join(' ')).toBe('- ours - floor - floor - ours - ours - floor')
})

test('a run that is broken off measures no further', async () => {
  const abort = new AbortController()
  let measured = 0
  const measure = async () => {
    measured += 1
    abort.abort()
    return 1
  }
  await expect(medians({ measure }, { rounds: 5, signal: abort.signal })).rejects.toThrow('aborted')
  expect(measured).toBe(1)
})
