import { randomBytes } from 'node:crypto'
import type { PersonId, SessionId } from '@parley/contracts'
import { failOverdueStarts } from '@parley/reflections'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { spokenApi } from './spoken-api.fixture.ts'

let api: Awaited<ReturnType<typeof spokenApi>>
beforeAll(async () => {
  api = await spokenApi()
})
afterAll(() => api[Symbol.asyncDispose]())

test('[X4] a start whose process died leaves only a failed row', async () => {
  const { id: reflectionId } = await api.reflection()
  const { personId } = await api.member('viewer', reflectionId)
  const sessionId = `ses_${randomBytes(8).toString('hex')}` as SessionId
  await api.database.sessionRows.open({
    sessionId,
    reflectionId,
    personId: personId satisfies PersonId,
    channel: 'voice',
    mode: 'share',
    sessionAudience: 'public',
    surface: 'public',
    role: 'guest',
    ingestion: 'keep-only',
    namespaces: [],
    status: 'starting',
  })
  await api.database.publicScopes.create({ sessionId, reflectionId, namespaces: [] })
  const { services, close } = await api.services()
  try {
    await services.sessions.start({
      id: sessionId,
      ownerId: personId,
      channel: 'voice',
      agent: { id: 'offline', provider: 'offline', model: 'offline', system_prompt: '' },
      context: { workingDir: '.', fsScopeTier: 'sandboxed' },
    })
    expect(await failOverdueStarts(services, Date.now())).toBe(0)
    expect(await failOverdueStarts(services, Date.now() + 3_600_000)).toBe(1)
  } finally {
    await close()
  }
  expect(await api.database.sessionRows.find(sessionId)).toMatchObject({
    status: 'failed',
    failure: 'internal',
  })
  expect(await api.database.sessions.find(sessionId)).toBeUndefined()
})
