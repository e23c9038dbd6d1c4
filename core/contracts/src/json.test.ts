import { expect, test } from 'vitest'
import { type Json, toCanonicalJson } from './json.ts'

test.each<[string, Json | undefined, string]>([
  ['nothing', undefined, 'null'],
  ['null', null, 'null'],
  ['keys in order, however deep', { b: [{ d: 1, c: null }], a: 'x' }, '{"a":"x","b":[{"c":null,"d":1}]}'],
  ['a list in its own order', [2, 1, []], '[2,1,[]]'],
])('[S13] the same input is the same text: %s', (_, value, expected) => {
  expect(toCanonicalJson(value)).toBe(expected)
})
