import { expect, test } from 'vitest'
import { createSecretMask } from './variables.ts'

const SECRET = 'Bearer made-up "token"-of-ours'

test.each([
  ['the whole', `sent ${SECRET}.`, 'sent [secret x-token].'],
  ['a word of it', 'sent "token"-of-ours.', 'sent [secret x-token].'],
  ['what a header begins with', 'Bearer tokens are nice', 'Bearer tokens are nice'],
  ['it within JSON', JSON.stringify({ key: SECRET }), '{"key":"[secret x-token]"}'],
  ['it in an address', `?key=${encodeURIComponent(SECRET)}`, '?key=[secret x-token]'],
  ['it in base64', Buffer.from(SECRET).toString('base64'), '[secret x-token]'],
])('[X2] masks %s', (_, text, expected) => {
  const { add, mask } = createSecretMask()
  add('x-token', SECRET)
  expect(mask(text)).toBe(expected)
  expect(mask({ list: [text, 7] })).toEqual({ list: [expected, 7] })
})

test('[X2] only secret variables are masked, with every text inside them', () => {
  const { addFrom, mask, size } = createSecretMask()
  addFrom({ name: 'made-up-name', secret__login: { user: 'made-up-user', keys: ['made-up-key'] } })
  expect(mask('made-up-name made-up-user made-up-key')).toBe(
    'made-up-name [secret secret__login] [secret secret__login]',
  )
  expect(size()).toBe(3)
})
