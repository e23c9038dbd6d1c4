import { expect, test } from 'vitest'
import { createKeep, keepOf } from './keep.ts'

const shelfOf = (things: Map<string, string>) => ({
  getItem: (name: string) => things.get(name) ?? null,
  setItem: (name: string, value: string) => void things.set(name, value),
  removeItem: (name: string) => void things.delete(name),
  key: (index: number) => [...things.keys()][index] ?? null,
  get length() {
    return things.size
  },
})

test('what is kept is there at the next visit, under names of our own', () => {
  const things = new Map<string, string>()
  createKeep(() => shelfOf(things)).write('theme', 'dark')
  expect(createKeep(() => shelfOf(things)).read('theme')).toBe('dark')
  expect([...things.keys()]).toEqual(['parley.theme'])
})

test('forgetting takes all that starts so, and nothing else', () => {
  const things = new Map([
    ['parley.session.1.draft', 'a'],
    ['parley.session.2.draft', 'b'],
    ['parley.theme', 'dark'],
    ['session.of-another', 'c'],
  ])
  createKeep(() => shelfOf(things)).forget('session.')
  expect([...things.keys()]).toEqual(['parley.theme', 'session.of-another'])
})

test("what is one person's is not found, nor forgotten, by another", () => {
  const things = new Map<string, string>()
  const keep = createKeep(() => shelfOf(things))
  keepOf(keep, 'per_1').write('session.1.draft', 'a')
  keepOf(keep, 'per_10').write('session.1.draft', 'b')
  keepOf(keep, 'per_1').forget('')
  expect(keepOf(keep, 'per_1').read('session.1.draft')).toBeUndefined()
  expect(keepOf(keep, 'per_10').read('session.1.draft')).toBe('b')
})

test.each([
  [
    'is closed',
    () => {
      throw new Error('SecurityError')
    },
  ],
  [
    'is full',
    () => ({
      ...shelfOf(new Map()),
      setItem: () => {
        throw new Error('QuotaExceededError')
      },
    }),
  ],
])('where the shelf %s, things last as long as the page', (_, open) => {
  const keep = createKeep(open)
  keep.write('session.1.draft', 'a')
  expect(keep.read('session.1.draft')).toBe('a')
  keep.forget('session.')
  expect(keep.read('session.1.draft')).toBeUndefined()
})
