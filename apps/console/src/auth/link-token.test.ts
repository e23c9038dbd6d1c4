import { expect, test } from 'vitest'
import { takeLinkToken } from './link-token.ts'

function openPage(address: string) {
  const { pathname, search, hash } = new URL(address)
  const shown = { address: `${pathname}${search}${hash}` }
  const page = {
    location: { pathname, search, hash } as Location,
    history: {
      replaceState: (_: unknown, __: string, next: string) => void (shown.address = next),
    } as History,
  }
  return { page, shown }
}

test.each<[string, string | undefined, string]>([
  ['http://a/#token=abc', 'abc', '/'],
  ['http://a/?x=1#token=abc%2B', 'abc+', '/?x=1'],
  ['http://a/sessions/ses_1#token=abc', 'abc', '/sessions/ses_1'],
  ['http://a/#token=', '', '/'],
  ['http://a/#main', undefined, '/#main'],
  ['http://a/', undefined, '/'],
])('%s gives %s and leaves %s', (address, token, left) => {
  const { page, shown } = openPage(address)
  expect(takeLinkToken(page)).toBe(token)
  expect(shown.address).toBe(left)
})
