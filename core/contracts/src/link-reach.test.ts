import { expect, test } from 'vitest'
import { isLocalUrl } from './link-reach.ts'

test.each([
  ['http://127.0.0.1:4400/r/shr_made-up', true],
  ['http://localhost/r/shr_made-up', true],
  ['http://LOCALHOST:4400', true],
  ['http://[::1]:4400/r/shr_made-up', true],
  ['http://127.5.0.9/', true],
  ['https://talk.example.org/r/shr_made-up', false],
  ['http://192.168.1.20:4400/r/shr_made-up', false],
  ['https://localhost.example.org/', false],
  ['https://talk.example.org/?from=http://127.0.0.1/', false],
])('%s leads to this machine alone: %s', (url, isLocal) => {
  expect(isLocalUrl(url)).toBe(isLocal)
})
