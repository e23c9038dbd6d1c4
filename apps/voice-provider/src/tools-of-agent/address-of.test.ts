import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addressOf } from './address-of.ts'
import type { Variables } from './variables.ts'

const OURS = { path: {}, isFromClient: () => false, hasSecrets: true }
const CLIENTS = { path: {}, isFromClient: () => true, hasSecrets: true }

const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern)

test.each<[string, string, Variables, string | RegExp]>([
  ['a part of a name', 'https://{{region}}.api.test/a', { region: 'eu-1' }, 'https://eu-1.api.test/a'],
  ['a whole name', 'http://{{host}}/a', { host: 'api.test' }, 'http://api.test/a'],
  ['a port', 'http://api.test:{{port}}/a', { port: 8080 }, 'http://api.test:8080/a'],
  ['the usual port', 'http://api.test:{{port}}/a', { port: '80' }, 'http://api.test/a'],
  ['a whole origin with a path', '{{base}}/a', { base: 'http://api.test/v1/' }, 'http://api.test/v1/a'],
  [
    'another host before a path',
    'https://{{region}}.api.test/a',
    { region: 'evil.test/' },
    /no part of a host/,
  ],
  ['a person before a host', 'https://{{region}}api.test/a', { region: 'evil.test@' }, /no part of a host/],
  ['a host after a person', 'https://api.test{{rest}}/a', { rest: '@evil.test' }, /no part of a host/],
  ['a port where none is', 'https://api.test{{rest}}/a', { rest: ':8080' }, /no part of a host/],
  ['a port that is more', 'http://api.test:{{port}}/a', { port: '80@evil.test' }, /no part of a host/],
  ['a question', 'https://{{region}}.api.test/a', { region: 'evil.test?' }, /no part of a host/],
  ['a line', 'https://{{region}}.api.test/a', { region: 'evil.test\n' }, /no part of a host/],
  ['nothing', 'https://{{region}}.api.test/a', { region: '' }, /no part of a host/],
  [
    'an origin with a person',
    '{{base}}/a',
    { base: 'http://api.test@evil.test' },
    /not an http or https address/,
  ],
  ['an origin of another kind', '{{base}}/a', { base: 'file:///etc' }, /not an http or https address/],
  ['a variable that is not set', 'http://{{host}}/a', {}, /needs the variable host/],
])('[X2] the host of a tool with %s', (_, template, variables, expected) => {
  const address = addressOf(template, { ...OURS, variables })
  const told = address.kind === 'address' ? address.url.href : address.why
  expect(told).toEqual(typeof expected === 'string' ? expected : matching(expected))
})

test.each<[string, string, Variables, boolean]>([
  ['the whole origin', '{{base}}/a', { base: 'http://evil.test' }, false],
  ['the whole host', 'http://{{host}}/a', { host: 'evil.test' }, false],
  ['the end of the host', 'http://api.{{domain}}/a', { domain: 'evil.test' }, false],
  ['most of the host', 'http://{{name}}.test/a', { name: 'evil' }, false],
  ['the beginning of a domain', 'http://{{name}}api.test/a', { name: 'evil' }, false],
  ['a name within a domain', 'http://{{name}}.api.test/a', { name: 'eu' }, true],
  ['a path', 'http://api.test/{{name}}', { name: 'eu' }, true],
])('[X2] a client that chooses %s of a tool with secrets', (_, template, variables, isSent) => {
  expect(addressOf(template, { ...CLIENTS, variables })).toMatchObject(
    isSent ? { kind: 'address' } : { kind: 'unfit', why: matching(/the client chose the server/) },
  )
  expect(addressOf(template, { ...CLIENTS, variables, hasSecrets: false }).kind).toBe('address')
  expect(addressOf(template, { ...OURS, variables }).kind).toBe('address')
})

test('[X2] whatever stands in a variable, the fixed domain of the address stays', () => {
  const unit = fc.constantFrom('a', '1', '.', '-', '@', ':', '/', '?', '#', '\\', '%')
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit })), (region) => {
      const address = addressOf('https://{{region}}.api.test/a', { ...CLIENTS, variables: { region } })
      expect(address.kind === 'unfit' || address.url.hostname.endsWith('.api.test')).toBe(true)
    }),
  )
})
