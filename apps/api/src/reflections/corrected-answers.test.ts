import { CreatedShareLink, Fact, type PatchId, type PersonId, RetrievalResult } from '@parley/contracts'
import { proposeCorrection } from '@parley/knowledge'
import { openLearning } from '@parley/postgres'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { knowledgeApi } from '../testing/knowledge-api.ts'
import { answerIn, resultsIn, typedApiOn } from './typed-api.fixture.ts'

let shared: Awaited<ReturnType<typeof knowledgeApi>>
beforeAll(async () => {
  shared = await knowledgeApi()
})
afterAll(() => shared[Symbol.asyncDispose]())

const NOTES =
  'I am Ada Winter. I planted the pear tree in 1998. I live in Kent. My cat is called Moss. I am a dentist.'

/** A reflection that has learned the notes, and whose facts are corrected as a worker would. */
async function correctedApi(displayName?: string, creatorName?: string) {
  const api = await typedApiOn(shared, displayName, creatorName)
  const learning = openLearning({ databaseUrl: api.databaseUrl })
  onTestFinished(() => learning.close())
  const at = `/reflections/${api.reflectionId}`
  await api.tell('garden', 'Garden notes', NOTES)
  await api.rebuild()
  const propose = async (fact: string, correction: string) => {
    const { answer } = await api.call('POST', `${at}/corrections`, { body: { fact, correction } })
    const { patchId } = z.object({ patchId: z.string() }).parse(answer)
    await proposeCorrection(patchId as PatchId, learning.learning)
    return patchId as PatchId
  }
  return {
    ...api,
    correct: async (fact: string, correction: string) => {
      const patchId = await propose(fact, correction)
      await learning.learning.applyReview(patchId, 'approve', 'per_ada' as PersonId)
      return patchId
    },
    revert: (patchId: PatchId) => learning.learning.applyReview(patchId, 'revert', 'per_ada' as PersonId),
    facts: async () => {
      const { answer } = await api.call('GET', `${at}/facts?state=active`)
      return z
        .object({ items: z.array(Fact) })
        .parse(answer)
        .items.map(({ statement }) => statement)
    },
    found: async (query: string, audience = 'private') => {
      const { answer } = await api.call('POST', `${at}/ask`, { body: { query, limit: 6, audience } })
      return RetrievalResult.parse(answer).evidence.map(({ text }) => text)
    },
  }
}

const NAMES: readonly (readonly [string, string | undefined])[] = [
  ['Ada Winter', undefined],
  ['The Lighthouse', 'Ada Winter'],
]

describe.each(NAMES)('a reflection with the name %s and the creator %s', (displayName, creatorName) => {
  test.each<[string, string, string, string, RegExp]>([
    ['one that states a fact', 'lives in Kent', 'I live in Dover.', 'Where do you live?', /Dover/],
    ['a sentence of its own', 'lives in Kent', 'It was only one summer.', 'Where do you live?', /one summer/],
    [
      'to a question for what was wrong',
      'lives in Kent',
      'It was only one summer.',
      'Do you live in Kent?',
      /one summer/,
    ],
    [
      'of something that is theirs',
      'cat is called Moss',
      'My cat is called Fern.',
      'What is your cat called?',
      /Fern/,
    ],
    ['of what they are', 'is a dentist', 'That was my sister.', 'Are you a dentist?', /my sister/],
  ])('[K3] an approved correction is the answer: %s', async (_, meant, correction, question, expected) => {
    const wrong = meant.split(' ').at(-1) ?? ''
    const api = await correctedApi(displayName, creatorName)
    const running = await api.started()
    expect(answerIn(await api.say(running, question))).toContain(wrong)
    const patchId = await api.correct(meant, correction)

    const ask = async (sessionId: string) => {
      const events = await api.say(sessionId, question)
      const looked = JSON.stringify(resultsIn(events))
      expect(looked).toMatch(expected)
      expect(looked).not.toContain(wrong)
      expect(answerIn(events)).toMatch(expected)
      expect(answerIn(events)).not.toContain(wrong)
    }
    expect((await api.found(question))[0]).toMatch(expected)
    expect((await api.found(question)).join()).not.toContain(wrong)
    expect((await api.facts()).join()).not.toContain(wrong)
    await ask(running)
    await ask(await api.started())
    await api.rebuild()
    await ask(await api.started())
    // The rest of the passage stands.
    expect(answerIn(await api.say(await api.started(), 'When was the pear tree planted?'))).toContain('1998')

    await api.revert(patchId)
    await api.rebuild()
    expect(answerIn(await api.say(await api.started(), question))).toContain(wrong)
  })
})

test('[K3] a corrected fact is not shown to the public, even if a later source repeats it', async () => {
  const api = await correctedApi('The Lighthouse', 'Ada Winter')
  await api.call('POST', `/reflections/${api.reflectionId}/publish`, { body: { namespaces: ['garden'] } })
  await api.correct('lives in Kent', 'I live in Dover.')
  await api.tell('garden', 'Letter', 'I am Ada Winter. I live in Kent. I like rowing at night.')
  for (const audience of ['public', 'private']) {
    const found = await api.found('Where do you live, and do you like rowing at night?', audience)
    expect(found.join('\n')).not.toContain('Kent')
    expect(found.join('\n')).toContain('Dover')
    expect(found.join('\n')).toContain('rowing at night')
  }
  await api.tell('diary', 'Diary', 'I am Ada Winter. My boat is called Kettlewick.')
  await api.correct('boat is called Kettlewick', 'My boat is called Zephyrine.')
  expect((await api.found('What is your boat called?', 'private')).join('\n')).toContain('Zephyrine')
  expect((await api.found('What is your boat called?', 'public')).join('\n')).not.toMatch(/Zephyrine|Kettle/)
})

test('[K3] a correction of a correction counts, and so does the first one after a revert', async () => {
  const api = await correctedApi()
  await api.correct('lives in Kent', 'I live in Dover.')
  const again = await api.correct('lives in Dover', 'I live in Deal.')
  const found = async () => (await api.found('Where do you live?')).join('\n')
  expect(await found()).toContain('Deal')
  expect(await found()).not.toMatch(/Kent|Dover/)
  await api.revert(again)
  expect(await found()).toContain('Dover')
  expect(await found()).not.toMatch(/Kent|Deal/)
})

test('[K3] a citation never shows a corrected passage, from before or after', async () => {
  const api = await correctedApi()
  const sessionId = await api.started()
  const cited = async () => (await api.read(`/sessions/${sessionId}/citations`)).text
  await api.say(sessionId, 'When was the pear tree planted?')
  await expect.poll(cited).toContain('Kent')
  await api.correct('lives in Kent', 'I live in Dover.')
  expect(await cited()).toContain('1998')
  expect(await cited()).not.toContain('Kent')
  await api.say(sessionId, 'When was the pear tree planted?')
  await expect.poll(cited).toContain('"number":2')
  expect((await cited()).split('planted the pear tree in 1998. [corrected]')).toHaveLength(3)
})

test('[A1] [K3] a member gets only the corrections within their reach', async () => {
  const api = await correctedApi()
  await api.tell('diary', 'Diary', 'I am Ada Winter. My boat is called Kettlewick.')
  await api.correct('boat is called Kettlewick', 'My boat is called Zephyrine.')
  await api.correct('lives in Kent', 'I live in Dover.')
  const { personId, token } = await api.person('viewer', { reflectionId: api.reflectionId })
  const body = { personId, role: 'viewer', namespaces: ['garden'] }
  await api.call('PUT', `/reflections/${api.reflectionId}/members`, { body })
  const sessionId = await api.started({}, token)
  const told = JSON.stringify([
    await api.say(sessionId, 'Where do you live?', token),
    await api.say(sessionId, 'What is your boat called?', token),
  ])
  expect(told).toContain('Dover')
  expect(told).not.toMatch(/Kent|Kettlewick|Zephyrine/)
})

const OLA =
  'Ola Dahl lives in Tromso. Ola Dahl works as a welder. Ola Dahl likes chess. Ola Dahl has a boat called Wanda.'

/** A reflection that learned its facts under its first display name, and has another one now. */
async function renamedApi() {
  const api = await correctedApi('Ola Dahl')
  await api.tell('harbour', 'Harbour notes', OLA)
  await api.call('PATCH', `/reflections/${api.reflectionId}`, { body: { displayName: 'Captain Ice' } })
  await api.rebuild()
  return api
}

test('[K3] a correction of a correction counts in a running session after the display name was changed', async () => {
  const api = await renamedApi()
  await api.correct('Ola Dahl lives in Tromso.', 'Captain Ice lives in Hamar.')
  await api.rebuild()
  const running = await api.started()
  expect(answerIn(await api.say(running, 'Where do you live?'))).toContain('Hamar')
  await api.correct('Captain Ice lives in Hamar.', 'Captain Ice lives in Moss.')
  const answer = answerIn(await api.say(running, 'Where do you live?'))
  expect(answer).toContain('Moss')
  expect(answer).not.toMatch(/Hamar|Tromso/)
})

test('[K3] a question gets the correction of its own fact, not of another', async () => {
  const api = await renamedApi()
  const running = await api.started()
  await api.correct('Ola Dahl lives in Tromso.', 'Captain Ice lives in Moss.')
  await api.correct('Ola Dahl works as a welder.', 'He is a baker.')
  await api.correct('He is a baker.', 'He is a diver.')
  for (const sessionId of [running, await api.started()]) {
    const answer = answerIn(await api.say(sessionId, 'What do you work as?'))
    expect(answer).toContain('He is a diver.')
    expect(answer).not.toMatch(/Moss|baker|welder/)
    expect(answerIn(await api.say(sessionId, 'What is your shoe size?'))).not.toMatch(/live in Moss|diver/)
  }
})

test('[K3] neither the owner nor the public sees the mark of a correction', async () => {
  const api = await renamedApi()
  await api.call('POST', `/reflections/${api.reflectionId}/publish`, { body: { namespaces: ['harbour'] } })
  await api.correct('Ola Dahl lives in Tromso.', 'Captain Ice lives in Moss.')
  await api.correct('Ola Dahl works as a welder.', 'He is a baker.')
  await api.correct('Ola Dahl has a boat called Wanda.', 'The boat is called Freya.')
  await api.rebuild()
  const link = await api.call('POST', `/reflections/${api.reflectionId}/share-links`, { body: {} })
  const share = `/r/${CreatedShareLink.parse(link.answer).token}/sessions`
  const visit = await api.call('POST', share, { body: { channel: 'text' } })
  const visitor = z.object({ sessionId: z.string(), token: z.string() }).parse(visit.answer)
  const said = [
    await api.say(visitor.sessionId, 'What do you like?', visitor.token),
    await api.say(await api.started(), 'What do you like?'),
  ]
  for (const events of said) {
    expect(answerIn(events)).toContain('chess')
    expect(JSON.stringify(events)).not.toContain('[corrected]')
  }
  const cited = async () => (await api.read(`/sessions/${visitor.sessionId}/citations`, visitor.token)).text
  await expect.poll(cited).toContain('[…] Ola Dahl likes chess.')
  expect(await cited()).not.toContain('[corrected]')
  for (const audience of ['public', 'private']) {
    const found = (await api.found('What do you like?', audience)).join(' ')
    expect(found).toContain('chess')
    expect(found).not.toContain('[corrected]')
  }
})
