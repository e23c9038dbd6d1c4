import { expect, test } from 'vitest'
import { measureMedians } from './medians.ts'

const { signal } = new AbortController()
const giving = (values: readonly number[]) => {
  let round = 0
  return async () => values[round++] ?? Number.NaN
}

test.each<[string, readonly number[], number]>([
  ['an odd number of rounds', [99, 3, 1, 2], 2],
  ['an even number of rounds', [99, 4, 1, 2, 9], 3],
  ['one round', [99, 7], 7],
])('the result is the median without the first round: %s', async (_, values, expected) => {
  const rounds = values.length - 1
  expect(await measureMedians({ one: giving(values) }, { rounds, signal, prepare: () => {} })).toEqual({
    one: expected,
  })
})

test('the order of the systems alternates with every round', async () => {
  const order: string[] = []
  const named = (name: string) => async () => order.push(name)
  const prepare = () => void order.push('-')
  await measureMedians({ ours: named('ours'), floor: named('floor') }, { rounds: 2, signal, prepare })
  expect(order.join(' ')).toBe('- ours - floor - floor - ours - ours - floor')
})

test('an aborted run stops measuring', async () => {
  const abort = new AbortController()
  let measured = 0
  const measure = async () => {
    measured += 1
    abort.abort()
    return 1
  }
  await expect(measureMedians({ measure }, { rounds: 5, signal: abort.signal })).rejects.toThrow('aborted')
  expect(measured).toBe(1)
})
