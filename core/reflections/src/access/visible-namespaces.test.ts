import type { Audience, Reflection, ShareLink } from '@parley/contracts'
import { expect, test } from 'vitest'
import type { ReflectionSession } from '../ports/reflection-session-store.ts'
import {
  readVisibleNamespaces,
  refuseUnknownNamespace,
  requireKnownNamespaces,
  visibleNamespaces,
} from './visible-namespaces.ts'

const namespaces = [
  { name: 'essays', isPublished: true },
  { name: 'garden', isPublished: true },
  { name: 'diary', isPublished: false },
]
const ALL = ['essays', 'garden', 'diary']

test.each<[string, Audience, readonly string[], readonly string[] | undefined, readonly string[]]>([
  ['everything in private', 'private', ALL, undefined, ALL],
  ['only published namespaces in public', 'public', ALL, undefined, ['essays', 'garden']],
  ['only its stored allowlist', 'private', ['diary'], undefined, ['diary']],
  ['nothing that was unpublished later', 'public', ['diary'], undefined, []],
  ['only what its link allows', 'public', ALL, ['garden', 'diary'], ['garden']],
  ['only what its member reaches', 'private', ALL, ['diary'], ['diary']],
  ['nothing if its member reaches nothing', 'private', ALL, [], []],
  ['no removed namespace', 'private', ['poems', 'essays'], ['poems', 'essays'], ['essays']],
])('[P4] [P6] a session sees %s', (_, sessionAudience, allowed, limit, expected) => {
  const session = { namespaces: allowed, sessionAudience }
  expect(visibleNamespaces(session, limit && { namespaces: limit }, { namespaces })).toEqual(expected)
})

test.each<[string, Audience, readonly string[] | undefined, readonly string[]]>([
  ['of a private session without a limit', 'private', undefined, ALL],
  ['of a public session without a limit', 'public', undefined, ['essays', 'garden']],
  ['of a public session by a link', 'public', ['diary', 'essays'], ['essays']],
])(
  '[P4] a plan %s has no stored allowlist and sees all allowed namespaces',
  (_, sessionAudience, limit, expected) => {
    expect(visibleNamespaces({ sessionAudience }, { namespaces: limit }, { namespaces })).toEqual(expected)
  },
)

const ask = (audience: Audience, asked?: readonly string[], known = namespaces) =>
  refuseUnknownNamespace({ audience, ...(asked && { namespaces: asked }) }, { namespaces: known })

test.each<[string, Audience, readonly string[] | undefined]>([
  ['without namespaces', 'public', undefined],
  ['about published namespaces', 'public', ['essays', 'garden']],
  ['about a private namespace, in private', 'private', ['diary']],
])('[P4] a question %s is allowed', (_, audience, asked) => {
  expect(() => ask(audience, asked)).not.toThrow()
})

test.each<[string, Audience, typeof namespaces, string]>([
  [
    'a private namespace, in public',
    'public',
    namespaces,
    'published namespace diary in this reflection. It has essays, garden.',
  ],
  [
    'an unknown namespace',
    'private',
    namespaces.slice(0, 1),
    'namespace diary in this reflection. It has essays.',
  ],
  [
    'any namespace, if there are none',
    'public',
    [],
    'published namespace diary in this reflection. It has none.',
  ],
])('[P4] a question is refused for %s', (_, audience, known, rest) => {
  const detail = { message: `There is no ${rest}` }
  expect(() => ask(audience, ['essays', 'diary'].slice(known.length === 0 ? 1 : 0), known)).toThrow(
    expect.objectContaining({ code: 'validation', detail }),
  )
})

const reflection = { namespaces } as unknown as Reflection
const visit = {
  shareLinkId: 'lnk_made-up' as ShareLink['id'],
  sessionAudience: 'public',
  namespaces: ALL,
} as const
const CAPABILITY = new Uint8Array()
const memberSession = { sessionAudience: 'private', namespaces: ALL } as const

test.each<[string, Partial<ReflectionSession>, readonly string[] | undefined, readonly string[]]>([
  ['a visitor what the link allows', visit, undefined, ['garden']],
  ['a limited member what they reach', memberSession, ['diary'], ['diary']],
  ['another member everything', memberSession, undefined, ALL],
])('[V17] [A1] a session sees what its limits allow now: %s', async (_, session, reach, expected) => {
  const link = { namespaces: ['garden', 'diary'] } as unknown as ShareLink
  const seen = await readVisibleNamespaces(session as ReflectionSession, {
    reflections: {
      find: async () => reflection,
      findMember: async () => (reach ? { reach: { namespaces: reach, capability: CAPABILITY } } : {}),
    },
    shareLinks: { find: async (id) => (id === visit.shareLinkId ? link : undefined) },
  })
  expect(seen).toEqual({
    reflection,
    reach: reach && { namespaces: reach, capability: CAPABILITY },
    namespaces: expected,
  })
})

test('[P6] a session of a removed reflection sees nothing', async () => {
  const nobody = { find: async () => undefined, findMember: async () => undefined }
  const session = memberSession as unknown as ReflectionSession
  expect(await readVisibleNamespaces(session, { reflections: nobody, shareLinks: nobody })).toBeUndefined()
})

test('names are refused if one of them does not exist', () => {
  expect(() => requireKnownNamespaces(['diary', 'essays'], ALL)).not.toThrow()
  expect(() => requireKnownNamespaces(['diary', 'poems', 'talks'], ALL)).toThrow(
    expect.objectContaining({
      detail: { message: 'There is no namespace poems, talks. There are: essays, garden, diary.' },
    }),
  )
})
