import fc from 'fast-check'
import { expect, test } from 'vitest'
import { entityKey } from './names.ts'

test.each([
  ['Åse Lindqvist', 'ase lindqvist'],
  ['the Old Harbour', 'old harbour'],
  ['My boat', 'boat'],
  ['Ada’s boat', 'boat'],
  ["the Holms' summer house", 'summer house'],
  ["Ada's", 'ada'],
  ['O’Brien', 'obrien'],
  ['  Port\n Ellis, ', 'port ellis'],
  ['The The', 'the'],
  ['ﬁsh', 'fish'],
  ['…', ''],
])('%j is known as %j', (name, key) => {
  expect(entityKey(name)).toBe(key)
})

test('a key is its own key', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (name) => {
      expect(entityKey(entityKey(name))).toBe(entityKey(name))
    }),
  )
})
