import { expect, test } from 'vitest'
import { askMicrophone } from './open-line.ts'

const refusing = (name: string) => ({
  getUserMedia: () => Promise.reject(Object.assign(new Error('no'), { name })),
})

test.each([
  ['NotAllowedError', 'microphone-denied'],
  ['NotFoundError', 'microphone-missing'],
  ['NotReadableError', 'microphone-busy'],
  ['SomethingElse', 'microphone-busy'],
])('%s is %s', async (name, kind) => {
  expect(await askMicrophone(refusing(name))).toEqual({ kind })
})

test('a page without HTTPS has no devices', async () => {
  expect(await askMicrophone(undefined)).toEqual({ kind: 'microphone-unreachable' })
})

test('the microphone is released at once', async () => {
  let stopped = 0
  const stream = { getTracks: () => [{ stop: () => (stopped += 1) }] } as unknown as MediaStream
  expect(await askMicrophone({ getUserMedia: () => Promise.resolve(stream) })).toBeUndefined()
  expect(stopped).toBe(1)
})
