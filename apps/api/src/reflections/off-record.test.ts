import { SessionView } from '@parley/contracts'
import { findTablesContaining } from '@parley/postgres/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answerIn, resultsIn, typedApi } from './typed-api.fixture.ts'

const question = (canary: string) => `When was the pear tree of ${canary} planted?`

describe('over HTTP', () => {
  let api: Awaited<ReturnType<typeof typedApi>>
  beforeAll(async () => {
    api = await typedApi()
    await api.tell('garden', 'Garden notes', 'I am Ada Winter. I planted the pear tree in 1998.')
    await api.rebuild()
  })
  afterAll(() => api.dispose())

  test('[V5] an off-record session works as usual and stores nothing in any table', async () => {
    const sessionId = await api.started({ offRecord: true, title: 'Quillfeather title' })
    const events = await api.say(sessionId, question('Quillfeather'))
    expect(answerIn(events)).toMatch(/pear tree in 1998\. That is from Garden notes\./)
    const { text } = await api.read(`/sessions/${sessionId}/messages`)
    expect(text).toContain('Quillfeather')
    expect(await findTablesContaining(api.databaseUrl, 'Quillfeather')).toEqual([])
    expect(await findTablesContaining(api.databaseUrl, sessionId)).toEqual(['public.reflection_sessions'])
    await api.call('POST', `/sessions/${sessionId}/end`)
    expect(await findTablesContaining(api.databaseUrl, 'Quillfeather')).toEqual([])
  })

  test('the same search finds the words of a session on the record', async () => {
    const sessionId = await api.started()
    await api.say(sessionId, question('Marrowstone'))
    expect(await findTablesContaining(api.databaseUrl, 'Marrowstone')).toEqual(
      expect.arrayContaining(['public.agent_sessions', 'public.retrieval_traces', 'public.session_messages']),
    )
  })

  test('[V5] an off-record session is not listed, resumed, forked or exported, running or ended', async () => {
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

  test('[V5] an off-record session with an agent of the server has no row either', async () => {
    const plain = { reflectionId: undefined, agentId: 'offline', offRecord: true }
    const sessionId = await api.started(plain, api.operator)
    const events = await api.say(sessionId, 'Do you know the word Brackenfold?', api.operator)
    expect(answerIn(events)).not.toBe('')
    const at = `/sessions/${sessionId}`
    expect((await api.read(`${at}/messages`, api.operator)).text).toContain('Brackenfold')
    expect(await findTablesContaining(api.databaseUrl, 'Brackenfold')).toEqual([])
    expect(await findTablesContaining(api.databaseUrl, sessionId)).toEqual([])
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
    expect(await findTablesContaining(api.databaseUrl, sessionId)).toEqual([])
  })

  test('[A4] off-record sessions with agents of the server count towards the person’s limit', async () => {
    const { token } = await api.person('viewer')
    const start = () => api.call('POST', '/sessions', { token, body: { offRecord: true } })
    const started = await Promise.all(Array.from({ length: 6 }, start))
    expect(started.filter(({ problem }) => problem?.code === 'rate_limited')).toHaveLength(1)
  })

  test.each([
    ['a reflection', {}],
    ['an agent of the server', { reflectionId: undefined, agentId: 'offline' }],
  ])(
    '[A3] an off-record session with %s is read only by its own person; admins may end it',
    async (_, partner) => {
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
    },
  )

  test('[V5] off the record the agent stores nothing, even for the owner', async () => {
    const sessionId = await api.started({ offRecord: true })
    const events = await api.say(sessionId, 'Please request a source ingest: Thistledown is blue.')
    expect(
      resultsIn(events)
        .map(({ text }) => text)
        .join(),
    ).not.toContain('Handed in')
    expect(await findTablesContaining(api.databaseUrl, 'Thistledown')).toEqual([])
  })
})
