import type { SessionId } from '@parley/contracts'
import { describe, expect, test } from 'vitest'
import { hasEnded, follow, open, POLLING, answerTexts, turnsOfMessages } from './follow.fixture.ts'
import { createApiClient } from './index.ts'

describe('calls', () => {
  test('[S2] start, send, read, list', async () => {
    const { client, model } = await open()
    expect(await client.me()).toMatchObject({ role: 'owner', label: 'Ada' })
    const { sessionId } = await client.sessions.start()
    const reader = follow(client, sessionId)
    const { turnId } = await client.sessions.send({ sessionId, text: 'Hello', idempotencyKey: 'a' })
    await expect.poll(reader.turns, POLLING).toMatchObject([{ state: 'running' }])
    expect(await client.sessions.get(sessionId)).toMatchObject({
      title: 'Hello',
      openTurn: { turnId, state: 'running' },
    })
    model.say({ type: 'text', text: 'Good day.' })
    model.finish()
    await expect.poll(() => hasEnded(reader.turns()), POLLING).toBe(true)
    const { items } = await client.sessions.messages({ sessionId })
    expect(items.map(({ role }) => role)).toEqual(['user', 'assistant'])
    expect(await client.sessions.messages({ sessionId, after: 1, limit: 5 })).toEqual({
      items: items.slice(1),
    })
    expect(await client.sessions.list({ limit: 1 })).toMatchObject({
      items: [{ sessionId, messageCount: 2 }],
    })
    expect(turnsOfMessages(items)).toEqual(reader.turns())
  })

  test('[S2] cancel keeps the text so far', async () => {
    const { client, model } = await open()
    const { sessionId } = await client.sessions.start()
    const reader = follow(client, sessionId)
    await client.sessions.send({ sessionId, text: 'Hello', idempotencyKey: 'a' })
    model.say({ type: 'text', text: 'Well, ' })
    await expect.poll(() => answerTexts(reader.turns()), POLLING).toEqual(['Well, '])
    expect(await client.sessions.cancel(sessionId)).toEqual({ cancelled: true })
    await expect.poll(() => reader.turns().at(-1)?.state, POLLING).toBe('cancelled')
    expect(turnsOfMessages((await client.sessions.messages({ sessionId })).items)).toEqual(reader.turns())
  })

  test('a message resent under its key is stored once', async () => {
    const { client } = await open()
    const { sessionId } = await client.sessions.start()
    const message = { sessionId, text: 'Hello', idempotencyKey: 'a' }
    expect(await client.sessions.send(message)).toEqual(await client.sessions.send(message))
    expect((await client.sessions.messages({ sessionId })).items).toHaveLength(1)
  })
})

describe('sessions as a whole', () => {
  test('rename, search, end, remove', async () => {
    const { client } = await open()
    const { sessionId } = await client.sessions.start({ title: 'Tea' })
    await client.sessions.start({ title: 'Coffee' })
    expect(await client.sessions.rename({ sessionId, title: 'Green tea' })).toMatchObject({
      sessionId,
      title: 'Green tea',
    })
    expect(await client.sessions.list({ search: 'green' })).toMatchObject({ items: [{ sessionId }] })
    expect(await client.sessions.list({ search: 'cocoa' })).toEqual({ items: [] })
    expect(await client.sessions.end(sessionId)).toMatchObject({ sessionId, status: 'ended' })
    const late = client.sessions.send({ sessionId, text: 'Wait', idempotencyKey: 'a' })
    await expect(late).rejects.toMatchObject({ code: 'session_ended' })
    await client.sessions.remove(sessionId)
    await expect(client.sessions.get(sessionId)).rejects.toMatchObject({ code: 'session_not_found' })
    expect((await client.sessions.list()).items).toHaveLength(1)
  })

  test('[S2] a fork has the same history', async () => {
    const { client, model } = await open()
    const { sessionId } = await client.sessions.start()
    const reader = follow(client, sessionId)
    await client.sessions.send({ sessionId, text: 'Hello', idempotencyKey: 'a' })
    model.say({ type: 'text', text: 'Good day.' })
    model.finish()
    await expect.poll(() => hasEnded(reader.turns()), POLLING).toBe(true)
    const agent = { id: 'other', model: 'm', provider: 'test', system_prompt: 'Be long.' }
    const fork = await client.sessions.fork({ sessionId, agent })
    expect(fork).toMatchObject({ agentSlug: 'other', messageCount: 2 })
    const { items } = await client.sessions.messages({ sessionId: fork.sessionId })
    expect(answerTexts(turnsOfMessages(items))).toEqual(['Good day.'])
  })
})

describe('failures', () => {
  test('a refusal carries the code and the detail of the problem', async () => {
    const { api } = await open()
    const stranger = createApiClient({ baseUrl: api.url, token: 'wrong' })
    await expect(stranger.me()).rejects.toMatchObject({
      code: 'unauthenticated',
      message: 'Invalid or expired token.',
    })
  })

  test.each([
    [401, 'unauthenticated'],
    [404, 'not_found'],
    [418, 'internal'],
    [502, 'server_unreachable'],
  ])('status %i without a problem document becomes %s', async (status, code) => {
    const { client } = await open({
      intercept: (_, response) => Boolean(response.writeHead(status).end('<html>')),
    })
    await expect(client.me()).rejects.toMatchObject({ code, detail: { status } })
  })

  test('a response of another shape is reported', async () => {
    const { client } = await open({
      intercept: (_, response) => Boolean(response.writeHead(200).end('<html>')),
    })
    await expect(client.me()).rejects.toMatchObject({
      code: 'internal',
      message: expect.stringMatching(/version/),
    })
  })

  test('an unreachable server is named', async () => {
    const { api, client } = await open()
    await api.close()
    await expect(client.me()).rejects.toMatchObject({
      code: 'server_unreachable',
      message: expect.stringContaining(api.url),
    })
  })

  test('reading a missing session ends at once', async () => {
    const { client } = await open()
    await expect(follow(client, 'ses_0' as SessionId).reading).rejects.toMatchObject({
      code: 'session_not_found',
    })
  })
})
