import { expect, test } from 'vitest'
import { createConcurrencyLimit } from './concurrency-limit.ts'

test('at most the given number of tasks runs at once, all run, and a failure blocks none', async () => {
  const limited = createConcurrencyLimit(2)
  let running = 0
  let most = 0
  const work = async (index: number) => {
    running += 1
    most = Math.max(most, running)
    await Promise.resolve()
    running -= 1
    if (index % 3 === 0) throw new Error('failed')
    return index
  }
  const outcomes = await Promise.allSettled(
    Array.from({ length: 10 }, (_, index) => limited(() => work(index))),
  )
  expect(most).toBe(2)
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(6)
  expect(await limited(() => work(1))).toBe(1)
})
