import { expect, test } from 'vitest'
import { maskSecrets, type Secret } from './mask-secrets.ts'

const secrets: readonly Secret[] = [
  { name: 'SHORT', value: 'made-up-secret', otherForms: ['bWFkZS11cC1zZWNyZXQ='] },
  { name: 'LONG', value: 'made-up-secret-and-more' },
  { name: 'TINY', value: 'abc' },
]

test.each([
  ['the value', 'x made-up-secret y', 'x [secret SHORT] y'],
  ['a value within another', 'made-up-secret-and-more', '[secret LONG]'],
  ['another form of it', 'Basic bWFkZS11cC1zZWNyZXQ=', 'Basic [secret SHORT]'],
  ['every place', 'made-up-secret,made-up-secret', '[secret SHORT],[secret SHORT]'],
  ['what is too short to be told from other text', 'abc', 'abc'],
  ['text without any', 'made up', 'made up'],
])('[S13] masks %s', (_, text, expected) => {
  expect(maskSecrets(text, secrets)).toBe(expected)
})
