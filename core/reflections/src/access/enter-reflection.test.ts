import type { PersonId, Reflection, Role } from '@parley/contracts'
import { expect, test } from 'vitest'
import { type WritableReach, listReflections, refuseWrite } from './enter-reflection.ts'

const reach = (...chosen: readonly string[]): WritableReach => ({
  chosen,
  namespaces: [...chosen, 'published'],
  capability: new Uint8Array([7]),
})

test.each<[string, WritableReach | undefined, readonly string[]]>([
  ['anywhere with full reach', undefined, ['essays', 'diary']],
  ['in the chosen namespaces', reach('essays', 'diary'), ['diary', 'essays']],
  ['in no namespace', reach(), []],
])('[A1] a member writes %s', (_, held, namespaces) => {
  expect(() => refuseWrite(held, namespaces)).not.toThrow()
})

test.each<[string, WritableReach, readonly string[], string]>([
  ['in a published namespace', reach('essays'), ['published'], 'published. You can work in: essays.'],
  [
    'if one of two is not chosen',
    reach('essays', 'diary'),
    ['essays', 'letters'],
    'letters. You can work in: essays, diary.',
  ],
  ['if none is chosen', reach(), ['essays'], 'essays. You can work in none.'],
])('[A1] a member does not write %s', (_, held, namespaces, message) => {
  const refused = expect.objectContaining({
    code: 'forbidden',
    detail: { message: expect.stringContaining(message) },
  })
  expect(() => refuseWrite(held, namespaces)).toThrow(refused)
})

test.each<[Role, object, object]>([
  ['owner', { limit: 5 }, { displayName: 'Ada', role: 'owner' }],
  ['admin', { limit: 5, personId: 'per_ben' }, { displayName: 'Ada', role: 'viewer' }],
])('[A1] a server %s lists with the query %j', async (role, expected, listed) => {
  const personId = 'per_ben' as PersonId
  const stored = { displayName: 'Ada', role: 'viewer' } as Reflection
  const reflections = {
    list: async (query: object) => {
      expect(query).toEqual(expected)
      return { items: [stored], nextCursor: 'next' }
    },
  }
  const page = await listReflections({ personId, role }, { limit: 5 }, reflections)
  expect(page).toEqual({ items: [listed], nextCursor: 'next' })
})
