import { type Reflection, StartedSession, VoiceSessionResponse } from '@parley/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runSql } from '../../../../adapters/postgres/src/server/testing/test-cluster.ts'
import { rebuild } from '../testing/learn.ts'
import { spokenApi } from './spoken-api.fixture.ts'

let api: Awaited<ReturnType<typeof spokenApi>>
let reflection: Reflection
let shared: string

beforeAll(async () => {
  api = await spokenApi()
  reflection = await api.reflection()
  const path = `/reflections/${reflection.id}`
  await api.learned(reflection.id, 'essays', 'I live in Oslo. I like rowing. I work as a baker.')
  await api.call('PATCH', path, { voice: { voiceId: 'slt', kind: 'stock' } })
  await api.call('POST', `${path}/publish`, { namespaces: ['essays'] })
  await rebuild(api.databaseUrl, reflection.id)
  const { answer } = await api.call('POST', `${path}/share-links`, {})
  shared = (answer as { token: string }).token
  // The owner was here before, so there is a past to load.
  await api.call('POST', '/sessions', { channel: 'text', reflectionId: reflection.id, title: 'Boats' })
}, 60_000)
afterAll(() => api[Symbol.asyncDispose]())

/** The serving role cannot read this table while the work runs. */
async function unreadable<Outcome>(table: string, work: () => Promise<Outcome>): Promise<Outcome> {
  await runSql(api.databaseUrl, `revoke select on ${table} from parley_serving`)
  try {
    return await work()
  } finally {
    await runSql(api.databaseUrl, `grant select on ${table} to parley_serving`)
  }
}

const MODES = {
  reflection: {},
  interview: { agentType: 'interviewer' },
  'off the record': { offRecord: true },
}

describe.each(['text', 'voice'] as const)('[V9] a session by %s', (channel) => {
  const start = (body: object) =>
    api.call('POST', '/sessions', { channel, reflectionId: reflection.id, ...body })

  test.each(Object.entries(MODES))('starts while the artifacts cannot be read: %s', async (_, body) => {
    const { status, answer } = await unreadable('voice_artifacts', () => start(body))
    expect([status, answer]).toEqual([201, expect.anything()])
    const { sessionId, warnings } = startedBy(answer, channel)
    expect(warnings).toContainEqual({
      code: 'session_dynamic_variables_partial',
      message: expect.stringContaining('preloaded_evidence') as string,
    })
    expect((await api.database.sessionRows.find(sessionId))?.status).toBe('active')
  })

  test.each(Object.entries(MODES))('starts while no earlier session can be read: %s', async (_, body) => {
    const { status, answer } = await unreadable('session_messages', () => start(body))
    expect([status, answer]).toEqual([201, expect.anything()])
    const { sessionId, surface, warnings } = startedBy(answer, channel)
    expect(surface).toBe('standard')
    expect(warnings).toContainEqual({
      code: 'session_dynamic_variables_partial',
      message: expect.stringContaining('user_context') as string,
    })
    expect(await api.database.sessionRows.find(sessionId)).toMatchObject({
      status: 'active',
      surface: 'standard',
    })
    const later = startedBy((await start({})).answer, channel)
    expect(later).toMatchObject({ surface: 'memory', warnings: [] })
    const row = await api.database.sessionRows.find(later.sessionId)
    expect(row?.surface).toBe('memory')
  })

  test('[P8] [P12] refuses the public with a code while the artifacts cannot be read', async () => {
    const { code } = await unreadable('voice_artifacts', () =>
      api.send('POST', `/r/${shared}/sessions`, { channel }),
    )
    expect(code).toBe('public_runtime_not_ready')
    const [row] = await runSql(
      api.databaseUrl,
      `select status, failure, channel from reflection_sessions where session_audience = 'public'
       order by created_at desc limit 1`,
    )
    expect(row).toEqual({ status: 'failed', failure: 'public_runtime_not_ready', channel })
  })

  test('starts for the public while no earlier session can be read', async () => {
    const { status } = await unreadable('session_messages', () =>
      api.send('POST', `/r/${shared}/sessions`, { channel }),
    )
    expect(status).toBe(201)
  })
})

const startedBy = (answer: unknown, channel: 'text' | 'voice') =>
  channel === 'voice' ? VoiceSessionResponse.parse(answer) : StartedSession.parse(answer)
