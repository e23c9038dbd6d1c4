import { pino } from 'pino'
import { expect, test } from 'vitest'
import { keepBuilt } from './keep-built.ts'

test('[P11] a worker asks again and again for what is missing, though asking fails, and stops when it is told to', async () => {
  const asked: string[] = []
  const thrice = Promise.withResolvers<void>()
  const askForMissing = async (when: string) => {
    asked.push(when)
    if (asked.length === 3) thrice.resolve()
    throw new Error('The database is away')
  }
  const kept = keepBuilt({ askForMissing }, pino({ level: 'silent' }), 1)
  await thrice.promise
  await kept.stop()
  expect(new Set(asked)).toEqual(new Set(['meanwhile']))
})
