import { Source } from '@parley/contracts'
import { type Database, openDatabase } from '@parley/postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { retrieveFor } from './retrieve-for.ts'
import { knowledgeApi } from './testing/knowledge-api.ts'
import { learn } from './testing/learn.ts'

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
const search = { query, entityKeys: [], limit: 5 }
const found = async (capability: Uint8Array) =>
  (await database.retriever.searchPublic(capability, search, new AbortController().signal)).evidence.length

test.each<[string, () => AbortSignal]>([
  ['has been answered', () => new AbortController().signal],
  ['was given up before', () => AbortSignal.abort()],
])('[X3] what opened a preview opens nothing once it %s', async (_, signal) => {
  const { retriever, publicScopes } = database
  const opened: { readonly capability: Uint8Array; readonly found: number }[] = []
  const retrieve = retrieveFor({
    retriever,
    publicScopes: {
      ...publicScopes,
      async create(scope) {
        const capability = await publicScopes.create(scope)
        opened.push({ capability, found: await found(capability) })
        return capability
      },
    },
  })
  await retrieve(reflection, { query, limit: 5, audience: 'public' }, signal()).catch(() => {})
  expect(opened).toMatchObject([{ found: 1 }])
  for (const { capability } of opened) expect(await found(capability)).toBe(0)
})
