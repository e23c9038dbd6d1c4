import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mergeConfig } from './agent-store.ts'

test.each<[string, unknown, unknown, unknown]>([
  ['missing fields stay', { a: { b: 1, c: 2 } }, { a: { b: 3 } }, { a: { b: 3, c: 2 } }],
  ['a list is replaced', { a: [1, 2] }, { a: [3] }, { a: [3] }],
  ['null is a value', { a: { b: 1 } }, { a: null }, { a: null }],
  [
    'a map of people’s own names is replaced',
    { dynamic_variable_placeholders: { old: 1 } },
    { dynamic_variable_placeholders: { new: 2 } },
    { dynamic_variable_placeholders: { new: 2 } },
  ],
  ['a field may become an object', { a: 1 }, { a: { b: 2 } }, { a: { b: 2 } }],
])('[X2] %s', (_, current, change, expected) => {
  expect(mergeConfig(current, change)).toEqual(expected)
})

test('[X2] applying a change twice equals applying it once', () => {
  const object = fc.dictionary(fc.string(), fc.jsonValue())
  fc.assert(
    fc.property(object, object, (current, change) => {
      const once = mergeConfig(current, change)
      expect(mergeConfig(once, change)).toEqual(once)
      expect(mergeConfig(current, {})).toEqual(current)
    }),
  )
})
