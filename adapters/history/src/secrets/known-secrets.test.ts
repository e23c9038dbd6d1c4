import { maskSecrets } from '@parley/engine'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toKnownSecret } from './known-secrets.ts'

const VALUE = 'made-up/tides+key?"quoted"'

test.each<[string, (value: string) => string]>([
  ['as it is', (value) => `token ${value}.`],
  ['in a URL', (value) => `https://x/?k=${encodeURIComponent(value)}`],
  ['in JSON', (value) => JSON.stringify({ key: value })],
  ['in base64', (value) => Buffer.from(value).toString('base64')],
  ['in base64url', (value) => Buffer.from(value).toString('base64url')],
  ['in hexadecimal digits', (value) => Buffer.from(value).toString('hex')],
  ['in the base64 of user and password', (value) => Buffer.from(`ada:${value}`).toString('base64')],
])('[S13] attack: a secret that comes back %s', (_, hidden) => {
  expect(maskSecrets(hidden(VALUE), [toKnownSecret('TIDES', VALUE)])).toContain('[secret TIDES]')
})

test('[S13] a value is masked at any position in a base64 text', () => {
  const bytes = fc.uint8Array({ maxLength: 9 })
  fc.assert(
    fc.property(bytes, bytes, (before, after) => {
      const encoded = Buffer.concat([before, Buffer.from(VALUE), after]).toString('base64')
      expect(maskSecrets(encoded, [toKnownSecret('TIDES', VALUE)])).toContain('[secret TIDES]')
    }),
  )
})
