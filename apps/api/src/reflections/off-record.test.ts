import { type PersonId, SessionView, type SessionId } from '@parley/contracts'
import { memorySessionStore } from '@parley/engine'
import { newSession } from '@parley/engine/testing'
import { tablesHolding } from '@parley/postgres/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createOffRecord } from './off-record.ts'
import { answerIn, resultsIn, typedApi } from './typed-api.fixture.ts'

const question = (canary: string) => `When was the pear tree of ${canary} planted?`

const ADA = 'per_ada' as PersonId
const id = (n: number) => `ses_${n}` as SessionId

function offRecordAt(time: { now: number }) {
  const kept = memorySessionStore()
  const ended: SessionId[] = []
  const offRecord = createOffRecord({
    kept,
    clock: { now: () => time.now },
    endOld: async (sessionId) => {
      ended.push(sessionId)
      await offRecord.store.remove(sessionId)
    },
  })
  const create = async (sessionId: SessionId) => {
    const [session, started] = newSession(sessionId, new Date(0).toISOString())
    await offRecord.store.create(session, started)
  }
  return { offRecord, kept, ended, create }
}

describe('over HTTP', () => {
  let api: Awaited<ReturnType<typeof typedApi>>
  beforeAll(async () => {
    api = await typedApi()
    await api.tell('garden', 'Garden notes', 'I am Ada Winter. I planted the pear tree in 1998.')
    await api.rebuild()
  })
  afterAll(() => api.dispose())

  test('[V5] an off-record session answers like any other, and leaves nothing in any table', async () => {
    const sessionId = await api.started({ offRecord: true, title: 'Quillfeather title' })
    const events = await api.say(sessionId, question('Quillfeather'))
    expect(answerIn(events)).toMatch(/pear tree in 1998\. That is from Garden notes\./)
    const { text } = await api.read(`/sessions/${sessionId}/messages`)
    expect(text).toContain('Quillfeather')
    expect(await tablesHolding(api.databaseUrl, 'Quillfeather')).toEqual([])
    expect(await tablesHolding(api.databaseUrl, sessionId)).toEqual(['public.reflection_sessions'])
    await api.call('POST', `/sessions/${sessionId}/end`)
    expect(await tablesHolding(api.databaseUrl, 'Quillfeather')).toEqual([])
  })

  test('the same on the record is found, so that the look is known to see', async () => {
    const sessionId = await api.started()
    await api.say(sessionId, question('Marrowstone'))
    expect(await tablesHolding(api.databaseUrl, 'Marrowstone')).toEqual(
      expect.arrayContaining(['public.agent_sessions', 'public.retrieval_traces', 'public.session_messages']),
    )
  })

  test('[V5] it is not listed, resumed, forked or exported, while it is on and afterwards', async () => {
    const sessionId = await api.started({ offRecord: true })
    await api.say(sessionId, 'Hello!')
    const refusals = async () => {
      const asked = await Promise.all([
        api.call('GET', `/sessions/${sessionId}/export`),
        api.call('POST', `/sessions/${sessionId}/export`),
        api.call('POST', `/sessions/${sessionId}/resume`, { body: {} }),
        api.call('POST', `/sessions/${sessionId}/fork`, { body: { agentId: 'offline' } }),
      ])
      return asked.map(({ problem }) => problem?.code)
    }
    expect(await refusals()).toEqual(['off_record', 'off_record', 'off_record', 'off_record'])
    expect((await api.read('/sessions')).text).not.toContain(sessionId)
    const ended = await api.call('POST', `/sessions/${sessionId}/end`)
    expect(SessionView.parse(ended.answer).status).toBe('ended')
    expect((await api.read(`/sessions/${sessionId}`)).status).toBe(404)
    expect(await refusals()).toEqual(['off_record', 'off_record', 'off_record', 'off_record'])
  })

  test('[V5] the same holds for one with an agent of the server, which not even a row tells of', async () => {
    const plain = { reflectionId: undefined, agentId: 'offline', offRecord: true }
    const sessionId = await api.started(plain, api.operator)
    const events = await api.say(sessionId, 'Do you know the word Brackenfold?', api.operator)
    expect(answerIn(events)).not.toBe('')
    const at = `/sessions/${sessionId}`
    expect((await api.read(`${at}/messages`, api.operator)).text).toContain('Brackenfold')
    expect(await tablesHolding(api.databaseUrl, 'Brackenfold')).toEqual([])
    expect(await tablesHolding(api.databaseUrl, sessionId)).toEqual([])
    expect((await api.read('/sessions', api.operator)).text).not.toContain(sessionId)
    const codesOf = (token: string) =>
      Promise.all(
        (
          [
            ['GET', 'export'],
            ['POST', 'export'],
            ['POST', 'resume'],
            ['POST', 'fork'],
          ] as const
        ).map(
          async ([method, what]) =>
            (await api.call(method, `${at}/${what}`, { token, ...(method === 'POST' && { body: {} }) }))
              .problem?.code,
        ),
      )
    expect(new Set(await codesOf(api.operator))).toEqual(new Set(['off_record']))
    expect(new Set(await codesOf(api.ownerToken))).toEqual(new Set(['session_not_found']))
    expect(new Set(await codesOf(api.viewer))).toEqual(new Set(['session_not_found']))
    const ended = await api.call('POST', `${at}/end`, { token: api.operator })
    expect(SessionView.parse(ended.answer).status).toBe('ended')
    expect((await api.read(at, api.operator)).status).toBe(404)
    expect(await tablesHolding(api.databaseUrl, sessionId)).toEqual([])
  })

  test('[A4] those with agents of the server count among the few that a person may have', async () => {
    const { token } = await api.person('viewer')
    const start = () => api.call('POST', '/sessions', { token, body: { offRecord: true } })
    const started = await Promise.all(Array.from({ length: 6 }, start))
    expect(started.filter(({ problem }) => problem?.code === 'rate_limited')).toHaveLength(1)
  })

  test.each([
    ['a reflection', {}],
    ['an agent of the server', { reflectionId: undefined, agentId: 'offline' }],
  ])('[A3] one with %s is read by its own person alone; admins may end it', async (_, partner) => {
    const own = api.operator
    const sessionId = await api.started({ ...partner, offRecord: true }, own)
    await api.say(sessionId, 'Do you know the word Hollowmere?', own)
    const at = `/sessions/${sessionId}`
    for (const path of ['', '/messages', '/turns', '/events', '/citations', '/export']) {
      for (const token of [api.ownerToken, api.admin, api.viewer]) {
        const asked = await api.call('GET', `${at}${path}`, { token })
        expect([path, asked.problem?.code]).toEqual([path, 'session_not_found'])
      }
    }
    expect((await api.read(`${at}/messages`, own)).text).toContain('Hollowmere')
    const ended = await api.call('POST', `${at}/end`)
    expect(SessionView.parse(ended.answer).status).toBe('ended')
    expect(JSON.stringify(ended.answer)).not.toContain('Hollowmere')
  })

  test('[V5] nothing is handed in off the record, though the owner’s agent may else', async () => {
    const sessionId = await api.started({ offRecord: true })
    const events = await api.say(sessionId, 'Please request a source ingest: Thistledown is blue.')
    expect(
      resultsIn(events)
        .map(({ text }) => text)
        .join(),
    ).not.toContain('Handed in')
    expect(await tablesHolding(api.databaseUrl, 'Thistledown')).toEqual([])
  })
})

describe('what is held', () => {
  test('is bounded for each person, and gives its place back when it is gone', async () => {
    const { offRecord, create } = offRecordAt({ now: 0 })
    for (let n = 0; n < 5; n += 1) {
      offRecord.admit(id(n), ADA, 'reflection')
      await create(id(n))
    }
    expect(() => offRecord.admit(id(9), ADA, 'agent')).toThrow(
      expect.objectContaining({ code: 'rate_limited' }),
    )
    await offRecord.store.end(id(0), new Date(0).toISOString())
    expect(() => offRecord.admit(id(9), ADA, 'agent')).not.toThrow()
  })

  test('is bounded in all', () => {
    const { offRecord } = offRecordAt({ now: 0 })
    for (let n = 0; n < 200; n += 1) offRecord.admit(id(n), `per_${n}` as PersonId, 'agent')
    expect(() => offRecord.admit(id(200), ADA, 'agent')).toThrow(
      expect.objectContaining({ code: 'rate_limited' }),
    )
  })

  test('is ended once nobody has used it for half an hour', async () => {
    const time = { now: 0 }
    const { offRecord, ended, create } = offRecordAt(time)
    offRecord.admit(id(1), ADA, 'agent')
    await create(id(1))
    time.now = 29 * 60_000
    await offRecord.store.listInterrupted(10)
    expect(ended).toEqual([])
    await offRecord.store.find(id(1))
    time.now = 58 * 60_000
    await offRecord.store.listInterrupted(10)
    expect(ended).toEqual([])
    time.now = 60 * 60_000
    await offRecord.store.listInterrupted(10)
    expect(ended).toEqual([id(1)])
    expect(await offRecord.store.find(id(1))).toBeUndefined()
  })

  test('is ended after a day, however much it is used', async () => {
    const time = { now: 0 }
    const { offRecord, ended, create } = offRecordAt(time)
    offRecord.admit(id(1), ADA, 'agent')
    await create(id(1))
    for (time.now = 0; ended.length === 0 && time.now < 48 * 3_600_000; time.now += 600_000) {
      await offRecord.store.find(id(1))
      await offRecord.store.listInterrupted(10)
    }
    expect(ended).toEqual([id(1)])
    expect(time.now / 3_600_000).toBeCloseTo(24, 0)
  })

  test('never reaches where others are kept', async () => {
    const { offRecord, kept, create } = offRecordAt({ now: 0 })
    offRecord.admit(id(1), ADA, 'agent')
    await create(id(1))
    await create(id(2))
    expect(await kept.find(id(1))).toBeUndefined()
    expect((await kept.list({ limit: 10 })).items.map(({ session }) => session.id)).toEqual([id(2)])
    expect(await offRecord.store.find(id(1))).toBeDefined()
  })
})
