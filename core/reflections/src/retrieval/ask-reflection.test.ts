import { CONVERSATIONS, MemberRole, type Reflection } from '@parley/contracts'
import type { RetrievalScope } from '@parley/knowledge'
import { expect, test } from 'vitest'
import { createAskQuestion, type MemberQuestion } from './ask-reflection.ts'

const reflection = {
  id: 'rfl_ada',
  publishRevision: 1,
  knowledgeRevision: 2,
  namespaces: [
    { name: 'essays', isPublished: true },
    { name: 'diary', isPublished: false },
  ],
} as unknown as Reflection

/** The scope of all namespaces. */
const WHOLE = { reflectionId: 'rfl_ada', publishRevision: 1, knowledgeRevision: 2, person: reflection }
const CAPABILITY = new Uint8Array([1])
const { signal } = new AbortController()

function setUp(search: () => Promise<void> = async () => {}) {
  const scopes: RetrievalScope[] = []
  const created: object[] = []
  const ended: string[] = []
  const ask = createAskQuestion({
    async search(_, scope) {
      scopes.push(scope)
      await search()
      return { evidence: [] }
    },
    publicScopes: {
      async create(scope) {
        created.push(scope)
        return CAPABILITY
      },
      async end(previewId) {
        ended.push(previewId)
      },
    },
    createPreviewId: () => 'made-up',
  })
  return { ask, scopes, created, ended }
}

const toQuestion = (question: Partial<MemberQuestion>): MemberQuestion => ({
  query: 'Where?',
  limit: 5,
  audience: 'private',
  ...question,
})

test.each(MemberRole.options)(
  '[X3] a private question of a %s quotes transcripts only for admins',
  async (role) => {
    const { ask, scopes, created } = setUp()
    await ask(toQuestion({}), { role }, reflection, signal)
    const onlyFactsOf = role === 'owner' || role === 'admin' ? [] : [CONVERSATIONS]
    expect(scopes).toEqual([{ ...WHOLE, audience: 'private', onlyFactsOf, capability: undefined }])
    expect(created).toEqual([])
  },
)

test('a private question of a member with limited reach searches with the member’s capability', async () => {
  const { ask, scopes } = setUp()
  const reach = { namespaces: ['diary'], capability: CAPABILITY }
  await ask(toQuestion({ namespaces: ['diary'] }), { role: 'viewer', reach }, reflection, signal)
  expect(scopes).toMatchObject([{ namespaces: ['diary'], capability: CAPABILITY }])
})

test('[X3] a public question of an owner searches with its own public scope', async () => {
  const { ask, scopes, created, ended } = setUp()
  const reach = { namespaces: ['essays'], capability: new Uint8Array([2]) }
  await ask(
    toQuestion({ audience: 'public', namespaces: ['essays'] }),
    { role: 'owner', reach },
    reflection,
    signal,
  )
  const scope = { sessionId: 'preview_made-up', reflectionId: 'rfl_ada', namespaces: ['essays'] }
  expect(created).toEqual([scope])
  expect(scopes).toEqual([{ ...WHOLE, namespaces: ['essays'], audience: 'public', capability: CAPABILITY }])
  expect(ended).toEqual(['preview_made-up'])
})

test('[X3] the scope of a public question ends if the search fails', async () => {
  const { ask, ended } = setUp(() => Promise.reject(new Error('no database')))
  const asked = ask(toQuestion({ audience: 'public' }), { role: 'viewer' }, reflection, signal)
  await expect(asked).rejects.toThrow('no database')
  expect(ended).toEqual(['preview_made-up'])
})

test.each([
  ['public', 'diary'],
  ['private', 'unknown'],
] as const)('[X3] a %s question refuses the namespace %s before it searches', async (audience, namespace) => {
  const { ask, scopes, created } = setUp()
  const asked = ask(toQuestion({ audience, namespaces: [namespace] }), { role: 'owner' }, reflection, signal)
  await expect(asked).rejects.toMatchObject({ code: 'validation' })
  expect([scopes, created]).toEqual([[], []])
})
