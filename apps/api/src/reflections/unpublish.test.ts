import { once } from 'node:events'
import { SessionId, SessionView, Source } from '@parley/contracts'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { z } from 'zod'
import { rebuild } from '../testing/learn.ts'
import { framesOf, sendMessage } from '../testing/test-api.ts'
import { visitorApi } from './visitor-api.fixture.ts'

let api: Awaited<ReturnType<typeof visitorApi>>
beforeAll(async () => {
  api = await visitorApi()
}, 60_000)
afterAll(() => api[Symbol.asyncDispose]())
afterEach(() => api.publish('publish', 'essays', 'talks'))

const PATIENCE = { timeout: 30_000, interval: 50 }
const ASKED = 'Where did you build the observatory?'

/** Without the rebuild that follows. */
const unpublish = async (...namespaces: readonly string[]) => {
  expect((await api.call('POST', `${api.at}/unpublish`, { namespaces })).status).toBe(200)
}

const visiting = async (link: object = {}) => api.visited(await api.visit((await api.share(link)).token))

const say = (sessionId: string, token: string, text = ASKED) =>
  sendMessage(api.url, { sessionId, token, text })

const Spoken = z.object({
  sessionId: SessionId,
  token: z.string(),
  signedUrl: z.string(),
  dynamicVariables: z.record(z.string(), z.string()),
})

async function speaking() {
  const link = await api.share()
  const { answer } = await api.visit(link.token, { channel: 'voice' })
  const { sessionId, token, signedUrl, dynamicVariables } = Spoken.parse(answer)
  return { link, sessionId, token, connect: () => connected(signedUrl, dynamicVariables) }
}

/** A call by text, once its agent has greeted; of its frames those that are no sound. */
async function connected(signedUrl: string, dynamic_variables: Readonly<Record<string, string>>) {
  const socket = new WebSocket(signedUrl, 'convai')
  const frames: string[] = []
  let isGreeted = false
  socket.on('message', (data: Buffer) => {
    const text = data.toString()
    if (text.includes('"type":"audio"')) isGreeted = true
    else frames.push(text)
  })
  await once(socket, 'open')
  socket.send(JSON.stringify({ type: 'conversation_initiation_client_data', dynamic_variables }))
  await expect.poll(() => isGreeted, PATIENCE).toBe(true)
  const responses = () => frames.filter((frame) => frame.includes('"type":"agent_response"')).length
  return {
    told: () => frames.join('\n'),
    isOver: () => socket.readyState === WebSocket.CLOSED,
    async ask(question: string) {
      const before = responses()
      socket.send(JSON.stringify({ type: 'user_message', text: question }))
      await expect.poll(responses, PATIENCE).toBeGreaterThan(before)
      return frames.join('\n')
    },
    async close() {
      if (socket.readyState === WebSocket.CLOSED) return
      const closed = once(socket, 'close')
      socket.close(1000)
      await closed
    },
  }
}

describe('once an unpublish has returned', () => {
  test.each<[string, object]>([
    ['all that is published', {}],
    ['the namespace', { namespaces: ['essays'] }],
  ])('[P6] a typed session of a link for %s has ended, with the reason', async (_, link) => {
    const { sessionId, token } = await visiting(link)
    expect(JSON.stringify(await framesOf(await say(sessionId, token)))).toContain('completed')
    await unpublish('essays')
    const refused = await say(sessionId, token)
    expect(refused.status).toBe(409)
    expect(await refused.json()).toMatchObject({
      code: 'session_ended',
      detail: expect.stringMatching(/no longer published.* Open the link again/),
    })
    for (const path of [`/sessions/${sessionId}/messages`, `/sessions/${sessionId}/events`, '/me']) {
      expect(await api.call('GET', path, undefined, token)).toMatchObject({ code: 'session_ended' })
    }
    expect(await api.database.sessionRows.find(sessionId)).toMatchObject({
      status: 'ended',
      failure: 'unpublished',
    })
    // Who was let in just before begins no turn either.
    const { services, close } = await api.services()
    await expect(services.sessions.send(sessionId, ASKED)).rejects.toMatchObject({ code: 'session_ended' })
    await close()
  })

  test('[P6] a typed session of a link for other namespaces continues, until these are unpublished', async () => {
    const { sessionId, token } = await visiting({ namespaces: ['talks'] })
    const kept = await api.database.sessions.find(sessionId)
    expect(kept?.session.agentSnapshot.system_prompt).not.toMatch(/observatory|Ankara/)
    await unpublish('essays')
    expect(JSON.stringify(await framesOf(await say(sessionId, token)))).toContain('completed')
    await unpublish('talks')
    expect((await say(sessionId, token)).status).toBe(409)
  })

  test('[P6] event streams of its sessions end, and their searches find nothing', async () => {
    const { sessionId, token } = await visiting()
    const session = await api.database.sessionRows.find(sessionId)
    const stream = await fetch(`${api.url}/v1/sessions/${sessionId}/events`, {
      headers: { authorization: `Bearer ${token}` },
    })
    await unpublish('essays')
    expect(JSON.stringify(await framesOf(stream))).not.toContain('Ankara')
    if (!session) throw new Error('The session is not there')
    await api.publish('publish', 'essays')
    const { services, close } = await api.services()
    const found = await services.retrieveForSession(session, 'observatory Ankara', AbortSignal.timeout(5_000))
    await close()
    expect(found.evidence).toEqual([])
  })

  test('[P6] private sessions continue, and so do all sessions if nothing was unpublished', async () => {
    const { token } = await api.member('operator', api.reflectionId)
    const body = { channel: 'text', reflectionId: api.reflectionId }
    const { answer } = await api.call('POST', '/sessions', body, token)
    const { sessionId } = z.object({ sessionId: SessionId }).parse(answer)
    const visitor = await visiting()
    await unpublish('diary')
    expect(JSON.stringify(await framesOf(await say(visitor.sessionId, visitor.token)))).toContain('Ankara')
    await unpublish('talks')
    expect(JSON.stringify(await framesOf(await say(sessionId, token)))).toContain('Ankara')
  })

  test('[V15] [P6] a running call finds nothing of it: at the next question its agent says goodbye', async () => {
    const { connect, sessionId, token } = await speaking()
    const call = await connect()
    expect(await call.ask(ASKED)).toContain('Ankara')
    const before = call.told().length
    await unpublish('essays')
    const since = (await call.ask('Tell me more about the observatory.')).slice(before)
    expect(since).toContain('This conversation is over')
    expect(since).not.toMatch(/Ankara|1954/)
    await expect.poll(call.isOver, PATIENCE).toBe(true)

    const reconnected = await api.call('POST', `/sessions/${sessionId}/reconnect`, {}, token)
    expect(reconnected).toMatchObject({ code: 'session_ended' })

    await unpublish('talks')
    const { services, close } = await api.services()
    const session = await api.database.sessionRows.find(sessionId)
    if (!session) throw new Error('There is no such session')
    for (const query of [ASKED, 'comets in Lisbon'])
      expect(
        (await services.retrieveForSession(session, query, AbortSignal.timeout(5_000))).evidence,
      ).toEqual([])
    await close()
    await call.close()
    // In writing it would go on by the prompt that it began with.
    const { sessionRows } = api.database
    const transcript = async () => (await sessionRows.find(sessionId))?.transcript
    await expect.poll(transcript, PATIENCE).toBe('stored')
    expect(await (await say(sessionId, token)).json()).toMatchObject({ code: 'session_ended' })
  }, 60_000)

  test('[P8] a connection by an earlier signed URL gets no old content', async () => {
    const { connect, sessionId } = await speaking()
    await unpublish('essays')
    const call = await connect()
    const told = await call.ask(ASKED)
    expect(told).toContain('being updated')
    expect(told).not.toMatch(/Ankara|1954|observatory in/)
    await call.close()
    expect(await api.database.sessionRows.find(sessionId)).toMatchObject({ status: 'active' })
    // A new session uses the namespaces that are still published.
    await api.publish('publish', 'essays')
    const again = await (await speaking()).connect()
    expect(await again.ask(ASKED)).toContain('Ankara')
    await again.close()
  }, 60_000)
})

const learned = async (text: string) => {
  const id = await api.learned(api.reflectionId, 'talks', text)
  await api.publish('publish', 'talks')
  return `${api.at}/sources/${id}`
}
const isOver = async ({ sessionId, token }: Awaited<ReturnType<typeof visiting>>) =>
  expect(await (await say(sessionId, token)).json()).toMatchObject({ code: 'session_ended' })
const start = async () => api.visit((await api.share()).token)

describe('the public content of a source', () => {
  test('[P8] a source that moves to a private namespace is gone from running and new sessions', async () => {
    const text = 'Ada Example lives in Perth.'
    const at = await learned(text)
    const visitor = await visiting()
    const moved = await api.call('PUT', at, { title: 'Notes', namespace: 'diary', text })
    expect(moved.status).toBe(202)
    expect(Source.parse(moved.answer)).toEqual(moved.answer)
    await isOver(visitor)
    expect(await start()).toMatchObject({ code: 'public_runtime_not_ready' })
    const asked = { audience: 'public', mode: 'share', channel: 'text' }
    const { answer } = await api.call('POST', `${api.at}/variables`, asked)
    expect(JSON.stringify(answer)).not.toContain('Perth')

    await rebuild(api.databaseUrl, api.reflectionId)
    const again = api.visited(await start())
    const told = JSON.stringify(await framesOf(await say(again.sessionId, again.token, 'Where do you live?')))
    expect(told).not.toContain('Perth')
  })

  test('[X5] ends with its removal, in running sessions and in new ones, though no job has run', async () => {
    const at = await learned('Ada Example likes quokkas.')
    const visitor = await visiting()
    expect((await api.call('DELETE', at)).status).toBe(202)
    await isOver(visitor)
    expect(await start()).toMatchObject({ code: 'public_runtime_not_ready' })
    const body = { channel: 'text', reflectionId: api.reflectionId }
    const own = await api.call('POST', '/sessions', body)
    expect(own).toMatchObject({ status: 201, answer: { warnings: [{ code: 'agent_generic' }] } })
    const { sessionId } = SessionView.parse(own.answer)
    const { services, close } = await api.services()
    const { session } = (await services.store.find(sessionId)) ?? {}
    await close()
    expect(session?.agentSnapshot.system_prompt).toContain('policy')
    expect(JSON.stringify(session)).not.toContain('quokka')
  })
})

test('[V17] revoking a link ends its running calls at once', async () => {
  const { link, connect, sessionId } = await speaking()
  const call = await connect()
  expect((await api.revoke(link.id)).status).toBe(204)
  await expect.poll(call.isOver, PATIENCE).toBe(true)
  const transcript = async () => (await api.database.sessionRows.find(sessionId))?.transcript
  await expect.poll(transcript, PATIENCE).toBe('stored')
}, 60_000)

test('[S2] ending a session ends its running call', async () => {
  const { connect, sessionId, token } = await speaking()
  const call = await connect()
  expect((await api.call('POST', `/sessions/${sessionId}/end`, {}, token)).status).toBe(200)
  await expect.poll(call.isOver, PATIENCE).toBe(true)
}, 60_000)
