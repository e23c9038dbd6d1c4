import {
  Channel,
  MobileSessionResponse,
  SessionView,
  SharedReflection,
  VoiceSessionResponse,
} from '@parley/contracts'
import { VISITOR_CAPS } from '@parley/reflections'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CANARY, visitorApi } from '../reflections/visitor-api.fixture.ts'

let api: Awaited<ReturnType<typeof visitorApi>>
beforeAll(async () => {
  api = await visitorApi()
})
afterAll(() => api[Symbol.asyncDispose]())

/** Everything that can be wrong with a link. */
const SPOILT: readonly [string, () => Promise<string>][] = [
  ['made up', async () => 'shr_made-up'],
  ['no token at all', async () => 'x'],
  [
    'revoked',
    async () => {
      const { id, token } = await api.share()
      await api.revoke(id)
      return token
    },
  ],
  [
    'used up',
    async () => {
      const { token } = await api.share({ maxUses: 1 })
      await api.visit(token)
      return token
    },
  ],
  [
    'over',
    async () => {
      const { id, token } = await api.share({ expiresAt: api.inAnHour() })
      await api.anHourPasses(id)
      return token
    },
  ],
]

describe('[V17] a link', () => {
  test('shows its reflection and the channels, and nothing else', async () => {
    const { token } = await api.share()
    const { status, answer } = await api.send('GET', `/r/${token}`)
    expect(status).toBe(200)
    expect(answer).toEqual({
      displayName: 'Ada Example',
      channels: ['text', 'voice'],
      isReady: true,
      isPublic: true,
      isLearnedFrom: false,
    })
    expect((await api.send('GET', `/mobile/r/${token}`)).answer).toEqual(answer)
  })

  test.each(SPOILT)('that is %s gets the same answer as an unknown link', async (_, spoil) => {
    const token = await spoil()
    const looked = await api.send('GET', `/r/${token}`)
    const tried = await api.visit(token)
    const mobile = await api.send('POST', `/mobile/r/${token}/sessions`, { channel: 'voice' })
    const lookedMobile = await api.send('GET', `/mobile/r/${token}`)
    for (const one of [looked, tried, mobile, lookedMobile]) {
      expect({ status: one.status, code: one.code }).toEqual({ status: 404, code: 'share_link_invalid' })
      expect(one.answer).toMatchObject({
        detail: 'This link is invalid or no longer works. Ask the person who gave it to you for a new one.',
      })
    }
  })

  test('[V13] starts a typed public session and counts a use', async () => {
    const { id, token } = await api.share({ maxUses: 3 })
    const started = await api.visit(token)
    expect(started.status).toBe(201)
    const { sessionId } = api.visited(started)
    expect(SessionView.safeParse(started.answer).success).toBe(true)
    expect(started.answer).toMatchObject({ mode: 'share', audience: 'public', surface: 'public' })
    expect(await api.uses(id)).toBe(1)
    expect(await api.database.sessionRows.find(sessionId)).toMatchObject({
      shareLinkId: id,
      mode: 'share',
      sessionAudience: 'public',
      surface: 'public',
      role: 'guest',
      namespaces: ['essays', 'talks'],
      ingestion: 'keep-only',
      status: 'active',
    })
  })

  test('[P4] gives its session exactly the published namespaces of the link', async () => {
    const { token } = await api.share({ namespaces: ['talks', 'diary'] })
    const { sessionId } = api.visited(await api.visit(token))
    expect(await api.database.sessionRows.find(sessionId)).toMatchObject({ namespaces: ['talks'] })
  })

  test('[V13] starts a spoken session, and only the mobile app gets the provider’s id', async () => {
    const { token } = await api.share()
    const web = await api.visit(token, { channel: 'voice' })
    expect(web.status).toBe(201)
    const { token: ofVisitor, ...answer } = web.answer as Record<string, unknown>
    expect(ofVisitor).toMatch(/^vis_/)
    expect(VoiceSessionResponse.parse(answer)).toMatchObject({ mode: 'share', audience: 'public' })
    const mobile = await api.send('POST', `/mobile/r/${token}/sessions`, { channel: 'voice' })
    const { token: _, ...told } = mobile.answer as Record<string, unknown>
    expect(MobileSessionResponse.parse(told).providerConversationId).not.toBe('')
    expect(JSON.stringify([web, mobile])).not.toContain(CANARY)
  })

  test.each([
    ['a stock voice', { voiceId: 'slt', kind: 'stock' }],
    ['a voice that the provider does not have', { voiceId: 'no-such-voice', kind: 'stock' }],
    ['a clone that nobody consented to', { voiceId: 'made-up-clone', kind: 'clone' }],
    ['no voice', null],
  ])('with %s offers exactly the channels in which a session starts', async (_, voice) => {
    expect((await api.call('PATCH', api.at, { voice })).status).toBe(200)
    const { token } = await api.share()
    const { channels } = SharedReflection.parse((await api.send('GET', `/r/${token}`)).answer)
    const starting = async (channel: Channel) => (await api.visit(token, { channel })).status === 201
    const started = await Promise.all(Channel.options.map(starting))
    expect(channels).toEqual(Channel.options.filter((_each, at) => started[at]))
    await api.call('PATCH', api.at, { voice: { voiceId: 'slt', kind: 'stock' } })
  })

  test('counts no use if the start fails', async () => {
    const { id, token } = await api.share({ namespaces: ['diary'], maxUses: 1 })
    const refused = await api.visit(token)
    expect(refused.status).toBeGreaterThanOrEqual(400)
    expect(refused.code).not.toBe('share_link_invalid')
    expect(await api.uses(id)).toBe(0)
  })

  test('[A4] refuses a body that is too large, before it is read', async () => {
    const { id, token } = await api.share()
    const refused = await api.visit(token, { channel: 'text', more: 'x'.repeat(VISITOR_CAPS.bodyBytes) })
    expect(refused).toMatchObject({ status: 413, code: 'payload_too_large' })
    expect(await api.uses(id)).toBe(0)
  })

  test('has its token in no log line', async () => {
    const { token } = await api.share()
    const { token: ofVisitor } = api.visited(await api.visit(token))
    const logged = api.logged.join('\n')
    expect(logged).toContain('/v1/r/{token}/sessions')
    expect(logged).not.toContain(token)
    expect(logged).not.toContain(ofVisitor)
  })
})
