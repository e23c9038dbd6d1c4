import { expect, test } from 'vitest'
import { withInterrupt } from './with-interrupt.ts'

test('Ctrl-C aborts the work, and is listened for no longer than that', async () => {
  const before = process.listenerCount('SIGINT')
  const isAborted = await withInterrupt(async (signal) => {
    process.emit('SIGINT', 'SIGINT')
    return signal.aborted
  })
  expect(isAborted).toBe(true)
  await expect(withInterrupt(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(process.listenerCount('SIGINT')).toBe(before)
})
