import type { KnowledgeReader, MemberReach, ReflectionStore } from '@parley/knowledge'
import type { Context } from 'hono'
import { expect, test } from 'vitest'
import type { ApiEnv } from '../api.ts'
import { readerFor, refuseToWrite } from './within-reach.ts'

const reach = (...chosen: readonly string[]): MemberReach => ({
  chosen,
  namespaces: [...chosen, 'published'],
  capability: new Uint8Array([7]),
})
const callerWith = (held: MemberReach | undefined) => ({ get: () => held }) as unknown as Context<ApiEnv>

test('[K1] who reaches everything reads everything, and others through their own capability', () => {
  const narrowed = {} as KnowledgeReader
  const everything = {
    readAs: (capability: Uint8Array) => (capability[0] === 7 ? narrowed : undefined),
  } as unknown as ReflectionStore
  expect(readerFor(callerWith(undefined), everything)).toBe(everything)
  expect(readerFor(callerWith(reach('essays')), everything)).toBe(narrowed)
})

test.each<[string, MemberReach | undefined, readonly string[]]>([
  ['anywhere, where everything is reached', undefined, ['essays', 'diary']],
  ['in the chosen namespaces', reach('essays', 'diary'), ['diary', 'essays']],
  ['in none', reach(), []],
])('[A1] a member writes %s', (_, held, namespaces) => {
  expect(() => refuseToWrite(callerWith(held), namespaces)).not.toThrow()
})

test.each<[string, MemberReach, readonly string[], string]>([
  ['in a published namespace', reach('essays'), ['published'], 'published. You can work in: essays.'],
  [
    'in one of two',
    reach('essays', 'diary'),
    ['essays', 'letters'],
    'letters. You can work in: essays, diary.',
  ],
  ['where nothing is chosen', reach(), ['essays'], 'essays. You can work in none.'],
])('[A1] a member does not write %s', (_, held, namespaces, message) => {
  const refused = expect.objectContaining({
    code: 'forbidden',
    detail: { message: expect.stringContaining(message) },
  })
  expect(() => refuseToWrite(callerWith(held), namespaces)).toThrow(refused)
})
