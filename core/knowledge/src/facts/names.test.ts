import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toEntityKey } from './names.ts'

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
])('the key of %j is %j', (name, key) => {
  expect(toEntityKey(name)).toBe(key)
})

test('the key of a key is the same key', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (name) => {
      expect(toEntityKey(toEntityKey(name))).toBe(toEntityKey(name))
    }),
  )
})
