import {
  CitationPage,
  CorrectionAccepted,
  FactPage,
  Patch,
  type PersonId,
  SessionView,
} from '@parley/contracts'
import { proposeCorrection } from '@parley/knowledge'
import { openLearning } from '@parley/postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { framesOf, sendMessage } from '../testing/test-api.ts'
import { claimOf } from '../reflections/spoken-api.fixture.ts'
import { visitorApi } from '../reflections/visitor-api.fixture.ts'

interface Person {
  readonly personId: PersonId
  readonly token: string
}

const WORDS = 'I live in Bergen. My heart attack in Rome made me move.'
const SECRET = 'heart attack'
const STATEMENT = 'Ada Example lives in Bergen.'
const WHERE = 'Where do you live?'

let api: Awaited<ReturnType<typeof visitorApi>>
let speaker: Person
let below: readonly Person[]
let admin: Person
let patch: Patch

beforeAll(async () => {
  api = await visitorApi()
  await api.learned(api.reflectionId, 'letters', 'Ada Example lives in Oslo.')
  await api.publish('publish', 'letters')
  const member = (role: 'admin' | 'operator' | 'viewer') => api.member(role, api.reflectionId)
  speaker = await member('operator')
  below = [await member('operator'), await member('viewer')]
  admin = await member('admin')
  const { reflectionId } = api
  const talking = await api.spoken({ name: 'talking', reflectionId, personId: speaker.personId })
  const { answer } = await api.tool('propose-fact-correction', {
    ...claimOf(talking),
    fact: 'Ada Example lives in Oslo',
    correction: WORDS,
  })
  const { patchId } = CorrectionAccepted.parse(answer)
  await learning((store) => proposeCorrection(patchId, store))
  patch = Patch.parse((await api.call('GET', `${api.at}/patches/${patchId}`)).answer)
}, 60_000)
afterAll(() => api[Symbol.asyncDispose]())

async function learning(work: (store: ReturnType<typeof openLearning>['learning']) => Promise<unknown>) {
  const opened = openLearning({ databaseUrl: api.databaseUrl })
  await work(opened.learning)
  await opened.close()
}

const get = (path: string, { token }: Person) => api.call('GET', `${api.at}${path}`, undefined, token)

const lists = () => [
  '/patches?limit=100',
  '/patches?status=proposed',
  '/facts?limit=100',
  '/facts?state=candidate',
  '/facts?order=time',
  `/facts/${patch.supersedes[0]?.id}/history`,
]

describe('[V5] [A3] while a correction that was said in a session waits', () => {
  test('nobody below an admin reads it but who said it', async () => {
    const one = `/patches/${patch.id}`
    for (const person of below) {
      for (const path of lists())
        expect(JSON.stringify((await get(path, person)).answer)).not.toContain('Bergen')
      expect(await get(one, person)).toMatchObject({ status: 404 })
      expect(await get('/summary', person)).toMatchObject({ answer: { waiting: 0 } })
      expect(await get(`/facts/${patch.facts[0]?.id}/history`, person)).toMatchObject({ status: 404 })
    }
    for (const person of [speaker, admin]) {
      expect(JSON.stringify((await get(one, person)).answer)).toContain(SECRET)
      expect(JSON.stringify((await get('/patches', person)).answer)).toContain(SECRET)
      expect(await get('/summary', person)).toMatchObject({ answer: { waiting: 1 } })
    }
    const [operator] = below
    const approved = await api.call('POST', `${api.at}${one}/approve`, {}, operator?.token)
    expect(approved.status).toBe(404)
  })

  test('the reviewer sees who will get it', () => {
    expect(patch.findings).toContainEqual({
      rule: 'correction',
      severity: 'note',
      message: expect.stringMatching(/also to the public.*Only admins/) as string,
    })
  })
})

describe('[P5] once it is approved', () => {
  beforeAll(async () => {
    await learning((store) => store.applyReview(patch.id, 'approve', admin.personId))
    await api.publish('publish', 'letters')
  })

  test('its fact replaces the old one, without the words of the conversation', async () => {
    for (const person of below) {
      const read = await Promise.all(lists().map(async (path) => (await get(path, person)).answer))
      expect(JSON.stringify(read)).toContain(STATEMENT)
      expect(JSON.stringify(read)).not.toContain(SECRET)
    }
    const { items } = FactPage.parse((await get('/facts?limit=100', admin)).answer)
    expect(items.find(({ statement }) => statement === STATEMENT)?.evidence).toMatchObject([
      { quote: WORDS, isConfided: true },
    ])
  })

  test('it is quoted to no visitor, and to no member in a session', async () => {
    const link = (await api.share({ namespaces: ['letters'] })).token
    const visitor = api.visited(await api.visit(link))
    const start = { channel: 'text', reflectionId: api.reflectionId }
    const own = async ({ token }: Person) => {
      const { answer } = await api.call('POST', '/sessions', start, token)
      return { sessionId: SessionView.parse(answer).sessionId, token }
    }
    for (const { sessionId, token } of [visitor, await own(admin), ...(await Promise.all(below.map(own)))]) {
      const frames = await framesOf(await sendMessage(api.url, { sessionId, token, text: WHERE }))
      const read = async () =>
        (await api.call('GET', `/sessions/${sessionId}/citations`, undefined, token)).answer
      await expect.poll(async () => CitationPage.parse(await read()).items.length).toBe(1)
      const [cited] = CitationPage.parse(await read()).items
      expect(cited?.evidence.map(({ text }) => text)).toContain(STATEMENT)
      expect(JSON.stringify([cited, frames])).not.toContain(SECRET)
    }
  })

  test('the artifacts hold its fact, not its words', async () => {
    const promoted = await api.database.runtime.readPromoted(api.reflectionId)
    const artifacts = JSON.stringify(promoted?.artifacts)
    expect(artifacts).toContain(STATEMENT)
    expect(artifacts).not.toContain(SECRET)
  })
})
