import {
  CorrectionAccepted,
  Invitation,
  type Role,
  SessionView,
  VoiceSessionResponse,
} from '@parley/contracts'
import { openLearning } from '@parley/postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rebuild } from '../testing/learn.ts'
import { framesOf, sendMessage } from '../testing/test-api.ts'
import { claimOf } from './spoken-api.fixture.ts'
import { visitorApi } from './visitor-api.fixture.ts'

/** Of `vault`, which a member is not let into here. */
const CANARY = 'Zephyrhaven'
const LIGHTHOUSE = 'Where did you build the lighthouse?'
const IN_VAULT = `Ada Example built a lighthouse in ${CANARY} in 1971.`
/** Of `letters`, which they are let into. */
const CHOSEN = 'Quillford'
const GREENHOUSE = 'Where did you build the greenhouse?'
const IN_LETTERS = `Ada Example built a greenhouse in ${CHOSEN} in 1972.`

let api: Awaited<ReturnType<typeof visitorApi>>
let narrowed: Awaited<ReturnType<typeof member>>
let hidden: { readonly sourceId: string; readonly factId: string; readonly patchId: string }

beforeAll(async () => {
  api = await visitorApi()
  await api.learned(api.reflectionId, 'letters', IN_LETTERS)
  await api.learned(api.reflectionId, 'vault', IN_VAULT)
  await rebuild(api.databaseUrl, api.reflectionId)
  narrowed = await member('viewer', ['letters'])
  const { items } = await api.database.reflections.listFacts(api.reflectionId, {
    limit: 5,
    namespace: 'vault',
  })
  const [fact] = items
  if (!fact) throw new Error('Nothing was learned of the vault')
  hidden = { sourceId: fact.evidence[0]?.sourceId ?? '', factId: fact.id, patchId: fact.patchId }
}, 60_000)
afterAll(() => api[Symbol.asyncDispose]())

async function member(role: Role, namespaces?: 'all' | readonly string[]) {
  const { answer } = await api.call('POST', `${api.at}/invitations`, {
    label: `a ${role}`,
    role,
    ...(namespaces && { namespaces }),
  })
  const made = Invitation.parse(answer)
  return { ...made, token: new URL(made.url).hash.replace('#token=', '') }
}

const change = (personId: string, namespaces: 'all' | readonly string[], role = 'viewer') =>
  api.call('PUT', `${api.at}/members`, { personId, role, namespaces })

const typed = async (token: string, body: object = {}) => {
  const { answer } = await start('text', token, body)
  return SessionView.parse(answer).sessionId
}
const start = (channel: 'text' | 'voice', token: string, body: object = {}) =>
  api.call('POST', '/sessions', { channel, reflectionId: api.reflectionId, ...body }, token)

const say = async (sessionId: string, text: string, token: string) => {
  const response = await sendMessage(api.url, { sessionId, token, text })
  return response.ok ? JSON.stringify(await framesOf(response)) : response.text()
}

describe('[A1] [P4] namespaces beyond a member’s reach are hidden', () => {
  test.each<[string, string, string, object?]>([
    ['the reflection', 'GET', ''],
    ['the summary', 'GET', '/summary'],
    ['sources', 'GET', '/sources'],
    ['sources of that namespace', 'GET', '/sources?namespace=vault'],
    ['facts', 'GET', '/facts'],
    ['facts by their words', 'GET', `/facts?search=${CANARY}`],
    ['facts in order', 'GET', '/facts?order=subject'],
    ['patches', 'GET', '/patches'],
    ['the ledger', 'GET', '/artifacts'],
    ['sync', 'GET', '/sync'],
    ['an answer', 'POST', '/ask', { query: LIGHTHOUSE }],
    ['an answer of that namespace', 'POST', '/ask', { query: LIGHTHOUSE, namespaces: ['vault'] }],
  ])('%s', async (_, method, path, body) => {
    const { answer } = await api.call(method, `${api.at}${path}`, body, narrowed.token)
    const shown = JSON.stringify(answer)
    expect(shown).not.toContain(CANARY)
    expect(shown).not.toContain(hidden.sourceId)
    // A refusal repeats the namespace that was asked for; nothing else names it.
    const asked = `${path}${JSON.stringify(body)}`
    expect(shown.includes('vault') && !asked.includes('vault')).toBe(false)
  })

  test('the list of reflections', async () => {
    const { answer } = await api.call('GET', '/reflections', undefined, narrowed.token)
    expect(JSON.stringify(answer)).toContain('letters')
    expect(JSON.stringify(answer)).not.toContain('vault')
  })

  test.each<[string, () => string]>([
    ['a source', () => `/sources/${hidden.sourceId}`],
    ['its text', () => `/sources/${hidden.sourceId}/text`],
    ['a fact', () => `/facts/${hidden.factId}/history`],
    ['a patch', () => `/patches/${hidden.patchId}`],
  ])('%s by its id', async (_, path) => {
    expect((await api.call('GET', `${api.at}${path()}`)).status).toBe(200)
    expect((await api.call('GET', `${api.at}${path()}`, undefined, narrowed.token)).status).toBe(404)
  })

  test('[K5] search finds what the member reaches', async () => {
    const { answer } = await api.call('POST', `${api.at}/ask`, { query: GREENHOUSE }, narrowed.token)
    expect(JSON.stringify(answer)).toContain(CHOSEN)
    const listed = await api.call('GET', `${api.at}/sources`, undefined, narrowed.token)
    expect(JSON.stringify(listed.answer)).toContain('letters')
  })

  test('[P3] a typed session: its prompt, answers, evidence, citations and export', async () => {
    const sessionId = await typed(narrowed.token)
    const record = await api.database.sessions.find(sessionId)
    const prompt = record?.session.agentSnapshot.system_prompt ?? ''
    expect(prompt).toContain(CHOSEN)
    expect(prompt).toContain('Ankara')
    expect(prompt).not.toContain(CANARY)
    expect(await say(sessionId, GREENHOUSE, narrowed.token)).toContain(CHOSEN)
    const answered = await say(sessionId, LIGHTHOUSE, narrowed.token)
    expect(answered).toContain('session:turn_completed')
    expect(answered).not.toContain(CANARY)
    for (const path of ['', '/messages', '/citations', '/export']) {
      const read = await api.call('GET', `/sessions/${sessionId}${path}`, undefined, narrowed.token)
      expect(read.status).toBe(200)
      expect(JSON.stringify(read.answer)).not.toContain(CANARY)
    }
  })

  test('[V6] [V7] a call uses the generic agent with only the member’s namespaces', async () => {
    const { answer } = await start('voice', narrowed.token)
    const started = VoiceSessionResponse.parse(answer)
    const told = started.dynamicVariables
    expect(JSON.stringify(answer)).not.toContain(CANARY)
    expect(told['reflection_persona_narrative']).toContain(CHOSEN)
    expect(JSON.parse(told['reflection_capsule_json'] ?? '')).toMatchObject({ sources: 2, facts: 2 })
    expect(told['reflection_namespaces']).toBe('essays, letters, talks')
    const session = await api.database.sessionRows.find(started.sessionId)
    if (!session) throw new Error('The session is not there')
    const everybody = VoiceSessionResponse.parse(
      (await start('voice', (await member('viewer', 'all')).token)).answer,
    )
    const own = await api.database.sessionRows.find(everybody.sessionId)
    expect(session.agentId).not.toBe(own?.agentId)
    const record = await api.database.sessions.find(started.sessionId)
    expect(record?.session.agentSnapshot.system_prompt).not.toContain(CANARY)
    const asked = (query: string) => api.tool('retrieve-context', { ...claimOf(session), query })
    expect(JSON.stringify(await asked(GREENHOUSE))).toContain(CHOSEN)
    expect(JSON.stringify(await asked(LIGHTHOUSE))).not.toContain(CANARY)
    const again = await api.call('POST', `/sessions/${started.sessionId}/reconnect`, {}, narrowed.token)
    expect(again.status).toBe(200)
    expect(JSON.stringify(again.answer)).not.toContain(CANARY)
    expect((await api.database.sessionRows.find(started.sessionId))?.agentId).toBe(session.agentId)
  })

  test('an interview by an operator', async () => {
    const operator = await member('operator', ['letters'])
    const { answer } = await start('voice', operator.token, { agentType: 'interviewer' })
    expect(VoiceSessionResponse.parse(answer).mode).toBe('interview')
    expect(JSON.stringify(answer)).not.toContain(CANARY)
    const { answer: next } = await api.call('GET', `${api.at}/explore-next`, undefined, operator.token)
    expect(JSON.stringify(next)).not.toContain(CANARY)
  })
})

describe('[A1] an invited person', () => {
  test('reads the published namespaces if none is chosen', async () => {
    const viewer = await member('viewer')
    expect(viewer.namespaces).toEqual([])
    const { answer } = await api.call('GET', api.at, undefined, viewer.token)
    expect(answer).toMatchObject({ namespaces: [{ name: 'essays' }, { name: 'talks' }] })
    const { sessionId } = SessionView.parse((await start('text', viewer.token)).answer)
    const answered = await say(sessionId, 'Where did you build the observatory?', viewer.token)
    expect(answered).toContain('Ankara')
  })

  test('reads everything if all is chosen, and as an admin', async () => {
    for (const invited of [await member('viewer', 'all'), await member('admin')]) {
      expect(invited.namespaces).toBe('all')
      const { answer } = await api.call('POST', `${api.at}/ask`, { query: LIGHTHOUSE }, invited.token)
      expect(JSON.stringify(answer)).toContain(CANARY)
    }
  })

  test('starts a session if nothing is published and nothing is chosen', async () => {
    const { id } = await api.reflection('Empty')
    const { answer } = await api.call('POST', `/reflections/${id}/invitations`, {
      label: 'x',
      role: 'viewer',
    })
    const token = new URL(Invitation.parse(answer).url).hash.replace('#token=', '')
    const begun = await api.call('POST', '/sessions', { channel: 'text', reflectionId: id }, token)
    expect(begun.status).toBe(201)
  })

  test('an unknown namespace, or a list for an admin, is refused with the valid form', async () => {
    for (const [role, namespaces, why] of [
      ['viewer', ['nowhere'], /There are: conversations, .*vault/],
      ['admin', ['letters'], /an admin reads all/],
    ] as const) {
      const { status, answer } = await api.call('POST', `${api.at}/invitations`, {
        label: 'x',
        role,
        namespaces,
      })
      expect([status, answer]).toEqual([
        400,
        expect.objectContaining({ detail: expect.stringMatching(why) as string }),
      ])
    }
  })
})

describe('[A1] an operator', () => {
  test('works in the chosen namespaces, and only reads the published ones', async () => {
    const { token } = await member('operator', ['letters'])
    const add = (namespace: string) =>
      api.call('POST', `${api.at}/sources`, { title: 'New', namespace, text: 'Ada likes tea.' }, token)
    expect((await add('letters')).status).toBe(202)
    for (const namespace of ['essays', 'vault']) expect((await add(namespace)).code).toBe('forbidden')
    const { items } = await api.database.reflections.listSources(api.reflectionId, {
      limit: 9,
      namespace: 'essays',
    })
    const published = `${api.at}/sources/${items[0]?.id}`
    expect((await api.call('GET', published, undefined, token)).status).toBe(200)
    expect((await api.call('DELETE', published, undefined, token)).code).toBe('forbidden')
    expect((await api.call('DELETE', `${api.at}/sources/${hidden.sourceId}`, undefined, token)).status).toBe(
      404,
    )
    expect((await api.call('POST', `${api.at}/patches/${hidden.patchId}/revert`, {}, token)).status).toBe(404)
  })
})

describe('[V4] a member who loses reach', () => {
  test('loses it in running and later sessions', async () => {
    const viewer = await member('viewer', 'all')
    const sessionId = await typed(viewer.token)
    expect(await say(sessionId, LIGHTHOUSE, viewer.token)).toContain(CANARY)
    const call = VoiceSessionResponse.parse((await start('voice', viewer.token)).answer)
    const session = await api.database.sessionRows.find(call.sessionId)
    if (!session) throw new Error('The session is not there')

    await change(viewer.personId, ['letters'])
    const refused = await say(sessionId, LIGHTHOUSE, viewer.token)
    expect(refused).toContain('session_ended')
    expect(refused).toContain('you can no longer read')
    const asked = await api.tool('retrieve-context', { ...claimOf(session), query: LIGHTHOUSE })
    expect(asked.code).toBe('action_not_allowed')
    const again = await api.call('POST', `/sessions/${call.sessionId}/reconnect`, {}, viewer.token)
    expect(again.code).toBe('session_ended')
    const cited = await api.call('GET', `/sessions/${sessionId}/citations`, undefined, viewer.token)
    expect(JSON.stringify(cited.answer)).not.toContain(CANARY)

    const later = await typed(viewer.token)
    const record = await api.database.sessions.find(later)
    expect(record?.session.agentSnapshot.system_prompt).not.toContain(CANARY)
    expect(await say(later, LIGHTHOUSE, viewer.token)).not.toContain(CANARY)
  })

  test('a session keeps its namespaces if its person may read more later', async () => {
    const viewer = await member('viewer', ['letters'])
    const sessionId = await typed(viewer.token)
    await change(viewer.personId, 'all')
    expect(await say(sessionId, LIGHTHOUSE, viewer.token)).not.toContain(CANARY)
    expect(await say(sessionId, GREENHOUSE, viewer.token)).toContain(CHOSEN)
  })

  test('[P6] an unpublish removes namespaces that were reached only by being published', async () => {
    const viewer = await member('viewer')
    await api.publish('unpublish', 'talks')
    const { answer } = await api.call(
      'POST',
      `${api.at}/ask`,
      { query: 'Where did you speak about comets?' },
      viewer.token,
    )
    await api.publish('publish', 'talks')
    expect(JSON.stringify(answer)).not.toContain('Lisbon')
  })
})

test('[K3] a member corrects only facts of their own namespaces', async () => {
  const { token } = await member('operator', ['letters'])
  const correct = async (fact: string) => {
    const body = { fact, correction: 'Ada Example built it in Oslo.' }
    const { answer } = await api.call('POST', `${api.at}/corrections`, body, token)
    return CorrectionAccepted.parse(answer).patchId
  }
  const learning = openLearning({ databaseUrl: api.databaseUrl })
  try {
    for (const [fact, known] of [
      [hidden.factId, undefined],
      [IN_VAULT, undefined],
      [IN_LETTERS, expect.anything()],
    ] as const) {
      const patchId = await correct(fact)
      const asked = await learning.learning.readCorrection(patchId)
      expect(asked?.known).toEqual(known)
    }
  } finally {
    await learning.close()
  }
})
