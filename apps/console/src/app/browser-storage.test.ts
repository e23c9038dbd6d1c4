import { expect, test } from 'vitest'
import { createBrowserStorage, createPersonStorage } from './browser-storage.ts'

const createWebStorage = (things: Map<string, string>) => ({
  getItem: (name: string) => things.get(name) ?? null,
  setItem: (name: string, value: string) => void things.set(name, value),
  removeItem: (name: string) => void things.delete(name),
  key: (index: number) => [...things.keys()][index] ?? null,
  get length() {
    return things.size
  },
})

test('stored values survive a visit, under prefixed names', () => {
  const things = new Map<string, string>()
  createBrowserStorage(() => createWebStorage(things)).write('theme', 'dark')
  expect(createBrowserStorage(() => createWebStorage(things)).read('theme')).toBe('dark')
  expect([...things.keys()]).toEqual(['parley.theme'])
})

test('forget removes exactly the names with the prefix', () => {
  const things = new Map([
    ['parley.session.1.draft', 'a'],
    ['parley.session.2.draft', 'b'],
    ['parley.theme', 'dark'],
    ['session.of-another', 'c'],
  ])
  createBrowserStorage(() => createWebStorage(things)).forget('session.')
  expect([...things.keys()]).toEqual(['parley.theme', 'session.of-another'])
})

test('one person cannot read or remove the data of another', () => {
  const things = new Map<string, string>()
  const storage = createBrowserStorage(() => createWebStorage(things))
  createPersonStorage(storage, 'per_1').write('session.1.draft', 'a')
  createPersonStorage(storage, 'per_10').write('session.1.draft', 'b')
  createPersonStorage(storage, 'per_1').forget('')
  expect(createPersonStorage(storage, 'per_1').read('session.1.draft')).toBeUndefined()
  expect(createPersonStorage(storage, 'per_10').read('session.1.draft')).toBe('b')
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
      ...createWebStorage(new Map()),
      setItem: () => {
        throw new Error('QuotaExceededError')
      },
    }),
  ],
])('when the storage %s, values last as long as the page', (_, open) => {
  const storage = createBrowserStorage(open)
  storage.write('session.1.draft', 'a')
  expect(storage.read('session.1.draft')).toBe('a')
  storage.forget('session.')
  expect(storage.read('session.1.draft')).toBeUndefined()
})
