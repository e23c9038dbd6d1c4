import { Source } from '@parley/contracts'
import { type Database, openDatabase } from '@parley/postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { knowledgeApi } from '../testing/knowledge-api.ts'
import { learn } from '../testing/learn.ts'
import { composeAskQuestion } from './compose-retrieval.ts'

let api: Awaited<ReturnType<typeof knowledgeApi>>
let database: Database
let reflection: Awaited<ReturnType<typeof api.reflection>>
beforeAll(async () => {
  api = await knowledgeApi()
  database = await openDatabase({ databaseUrl: api.databaseUrl })
  reflection = await api.reflection()
  const { answer } = await api.call('POST', `/reflections/${reflection.id}/sources`, {
    body: { title: 'Letter', namespace: 'general', text: 'The lighthouse survey was called Fernlight.' },
  })
  await learn(api.databaseUrl, Source.parse(answer).id)
  await api.call('POST', `/reflections/${reflection.id}/publish`, { body: { namespaces: ['general'] } })
})
afterAll(async () => {
  await database.close()
  await api[Symbol.asyncDispose]()
})

const query = 'What was the lighthouse survey called?'
const readReflection = async () => {
  const current = await database.reflections.find(reflection.id)
  if (!current) throw new Error('There is no reflection')
  return current
}
const search = { query, entityKeys: [], limit: 5 }
const countFound = async (capability: Uint8Array) =>
  (await database.retriever.searchPublic(capability, search, new AbortController().signal)).evidence.length

test.each<[string, () => AbortSignal]>([
  ['was answered', () => new AbortController().signal],
  ['was cancelled', () => AbortSignal.abort()],
])('[X3] the capability of a public question finds nothing once the question %s', async (_, signal) => {
  const { retriever, publicScopes } = database
  const opened: { readonly capability: Uint8Array; readonly found: number }[] = []
  const askQuestion = composeAskQuestion({
    database: {
      retriever,
      publicScopes: {
        ...publicScopes,
        async create(scope) {
          const capability = await publicScopes.create(scope)
          opened.push({ capability, found: await countFound(capability) })
          return capability
        },
      },
    },
  })
  const question = { query, limit: 5, audience: 'public' } as const
  await askQuestion(question, { role: 'viewer' }, await readReflection(), signal()).catch(() => {})
  expect(opened).toMatchObject([{ found: 1 }])
  for (const { capability } of opened) expect(await countFound(capability)).toBe(0)
})
