import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { MobileSessionResponse, type Reflection, SyncStatus, VoiceSessionResponse } from '@parley/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rebuild } from '../testing/learn.ts'
import { signatureOf, spokenApi } from './spoken-api.fixture.ts'

type SpokenApi = Awaited<ReturnType<typeof spokenApi>>
let api: SpokenApi
let reflection: Reflection

beforeAll(async () => {
  api = await spokenApi()
  reflection = await api.reflection()
  await api.learned(reflection.id, 'essays', 'I live in Oslo. I like rowing. I work as a baker.')
  await api.call('PATCH', `/reflections/${reflection.id}`, { voice: { voiceId: 'slt', kind: 'stock' } })
  await rebuild(api.databaseUrl, reflection.id)
}, 60_000)
afterAll(() => api[Symbol.asyncDispose]())

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const start = (body: object = {}, token?: string, path = '/sessions') =>
  api.call('POST', path, { channel: 'voice', reflectionId: reflection.id, ...body }, token)

describe('a spoken session over HTTP', () => {
  test('[V9] [V13] starts with a signed URL of the agent that has the prompt pack', async () => {
    const { token, personId } = await api.member('operator', reflection.id)
    const { status, answer } = await start({ title: 'First' }, token)
    expect([status, answer]).toEqual([201, expect.anything()])
    const started = VoiceSessionResponse.parse(answer)
    expect(started).toMatchObject({
      mode: 'reflection',
      audience: 'private',
      surface: 'standard',
      transport: 'websocket',
      cut: [],
      warnings: [],
      dynamicVariables: {
        reflection_id: reflection.id,
        conversation_id: started.sessionId,
        conversation_bind_sig: signatureOf(started.sessionId),
        user_id: sha256(personId).slice(0, 16),
        actor_type: 'operator',
        off_record: 'false',
        allowed_actions: 'retrieve-context, request-source-ingest, propose-fact-correction',
        reflection_display_name: 'Ada Example',
        session_access_scope: expect.stringMatching(/^private:[0-9a-f]{64}$/),
      },
    })
    expect(started.dynamicVariables).not.toHaveProperty('reflection_capsule_json')
    expect(started.dynamicVariables['preloaded_evidence']).toContain('Oslo')

    const row = await api.database.sessionRows.find(started.sessionId)
    expect(row).toMatchObject({ status: 'active', personId, transcript: 'pending', ingestion: 'ingest' })
    const view = await api.call('GET', `/sessions/${started.sessionId}`, undefined, token)
    expect(view.answer).toMatchObject({ channel: 'voice', title: 'First', messageCount: 0 })

    const frames = await converse(started, 'Where do you live?')
    const metadata = frames.find(({ type }) => type === 'conversation_initiation_metadata')
    expect(metadata?.conversation_initiation_metadata_event?.conversation_id).toBe(
      row?.providerConversationId,
    )
    const said = frames.flatMap(({ agent_response_event: event }) => event?.agent_response ?? [])
    expect(said.length).toBeGreaterThan(1)
  }, 60_000)

  test('[V13] only the mobile app gets the provider’s own id', async () => {
    const { answer } = await start({}, undefined, '/mobile/sessions')
    const started = MobileSessionResponse.parse(answer)
    const bound = await api.database.sessionRows.findByProvider(started.providerConversationId)
    expect(bound?.sessionId).toBe(started.sessionId)
    expect((await start()).answer).not.toHaveProperty('providerConversationId')
    const typed = await start({ channel: 'text' }, undefined, '/mobile/sessions')
    expect(typed).toMatchObject({ status: 201, answer: { channel: 'text', messageCount: 0 } })
  })

  test('[V7] a returning person gets the memory surface, with nothing about others', async () => {
    const { token } = await api.member('operator', reflection.id)
    const other = await api.member('operator', reflection.id)
    const opened = await api.call('POST', '/sessions', { reflectionId: reflection.id, title: 'Boats' }, token)
    expect(opened.status).toBe(201)
    const again = VoiceSessionResponse.parse((await start({}, token)).answer)
    expect(again.surface).toBe('memory')
    expect(again.dynamicVariables['user_context']).toContain('Boats')
    const first = VoiceSessionResponse.parse((await start({}, other.token)).answer)
    expect(first.surface).toBe('standard')
    expect(JSON.stringify(first)).not.toContain('Boats')
  })

  test('[V9] a reconnect is a new credential for the same session', async () => {
    const { token } = await api.member('viewer', reflection.id)
    const first = VoiceSessionResponse.parse((await start({}, token)).answer)
    const before = await api.database.sessionRows.find(first.sessionId)
    const path = `/sessions/${first.sessionId}/reconnect`
    const { status, answer } = await api.call('POST', path, {}, token)
    expect(status).toBe(200)
    const again = VoiceSessionResponse.parse(answer)
    expect(again.sessionId).toBe(first.sessionId)
    expect(again.signedUrl).not.toBe(first.signedUrl)
    const after = await api.database.sessionRows.find(first.sessionId)
    expect(after?.providerConversationId).not.toBe(before?.providerConversationId)
    expect(after?.status).toBe('active')

    const stranger = await api.member('admin', reflection.id)
    expect((await api.call('POST', path, {}, stranger.token)).code).toBe('session_not_found')
    await api.database.sessionRows.end(first.sessionId)
    expect((await api.call('POST', path, {}, token)).code).toBe('session_ended')
  })

  test('[A4] a member reconnects to a call at most twenty times', async () => {
    const { token } = await api.member('viewer', reflection.id)
    const { sessionId } = VoiceSessionResponse.parse((await start({}, token)).answer)
    for (let before = 0; before < 19; before += 1) {
      expect(await api.database.sessionRows.takeReconnect(sessionId, 20)).toBe(true)
    }
    const reconnect = () => api.call('POST', `/sessions/${sessionId}/reconnect`, {}, token)
    expect((await reconnect()).status).toBe(200)
    expect(await reconnect()).toMatchObject({ status: 429, code: 'rate_limited' })
  })

  test('[V5] off the record only a row is stored', async () => {
    const { token } = await api.member('operator', reflection.id)
    const started = VoiceSessionResponse.parse((await start({ offRecord: true }, token)).answer)
    const reconnect = `/sessions/${started.sessionId}/reconnect`
    const again = VoiceSessionResponse.parse((await api.call('POST', reconnect, {}, token)).answer)
    for (const { dynamicVariables } of [started, again])
      expect(dynamicVariables).toMatchObject({ off_record: 'true', allowed_actions: 'retrieve-context' })
    const row = await api.database.sessionRows.find(started.sessionId)
    expect(row).toMatchObject({ status: 'active', ingestion: 'off-record' })
    expect(await api.database.sessions.find(started.sessionId)).toBeUndefined()
    const path = `/sessions/${started.sessionId}/end`
    const stranger = await api.member('operator', reflection.id)
    expect((await api.call('POST', path, undefined, stranger.token)).code).toBe('session_not_found')
    expect(await api.call('POST', path, undefined, token)).toMatchObject({
      status: 200,
      answer: { status: 'ended' },
    })
    expect((await api.database.sessionRows.find(started.sessionId))?.status).toBe('ended')
  })

  test('[V11] the provider’s flag decides if a listed voice is a clone; for others the request does', async () => {
    const choose = async (voice: object, token?: string) =>
      (await api.call('PATCH', `/reflections/${reflection.id}`, { voice }, token)).answer
    const { token } = await api.member('admin', reflection.id)
    const listed = { kind: 'stock', consent: false }
    expect(await choose({ voiceId: 'slt' }, token)).toMatchObject({
      voice: { kind: 'clone', consent: false },
    })
    expect(await choose({ voiceId: 'made-up', consent: true })).toMatchObject({ voice: { kind: 'clone' } })
    expect(await choose({ voiceId: 'slt' })).toMatchObject({ voice: { voiceId: 'slt', ...listed } })
  })

  test('[V11] an unknown voice is reported as missing, and searched again with a sync', async () => {
    const { id } = await api.reflection('Voiceless')
    const at = `/reflections/${id}`
    const unready = { status: 409, code: 'voice_clone_required' }
    for (const voice of [
      { voiceId: 'no-such-voice', consent: true },
      { voiceId: 'no-such-voice', kind: 'clone', consent: true },
      { voiceId: 'no-such-voice', kind: 'stock' },
    ]) {
      const { answer } = await api.call('PATCH', at, { voice })
      expect(answer).toMatchObject({ voice: { voiceId: 'no-such-voice', isUnlisted: true } })
      const refused = await start({ reflectionId: id })
      expect(refused).toMatchObject(unready)
      expect(refused.answer).toMatchObject({ missing: ['the voice provider has no such voice'] })
    }
    expect((await api.call('PATCH', at, { voice: { voiceId: 'slt', isUnlisted: true } })).code).toBe(
      'validation',
    )

    await api.call('PATCH', at, { voice: { voiceId: 'slt', kind: 'stock' } })
    await api.database.reflections.recordVoiceListing(id, 'slt', 'unlisted')
    expect(await start({ reflectionId: id })).toMatchObject(unready)
    await api.call('POST', `${at}/sync`, {})
    expect((await start({ reflectionId: id })).status).toBe(201)
  })

  test('[P7] admins see the synced and the desired hashes of each agent', async () => {
    const admin = await api.member('admin', reflection.id)
    const viewer = await api.member('viewer', reflection.id)
    const standing = async (token: string) =>
      SyncStatus.parse((await api.call('GET', `/reflections/${reflection.id}/sync`, undefined, token)).answer)
        .items[0]
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/)
    const hashes = { packContentHash: hash, dossierHash: hash, publishedScopeHash: hash }
    expect(await standing(admin.token)).toMatchObject({ synced: hashes, wanted: hashes })
    const told = await standing(viewer.token)
    expect(told).toMatchObject({ surface: 'standard' })
    expect(told).not.toHaveProperty('synced')
    expect(told).not.toHaveProperty('wanted')
  })

  test('[V11] a start succeeds if the provider cannot list its voices', async () => {
    const { id } = await api.reflection('Unasked')
    await api.faults({ match: 'GET /v2/voices*', status: 403 })
    const { answer } = await api.call('PATCH', `/reflections/${id}`, {
      voice: { voiceId: 'made-elsewhere', consent: true },
    })
    expect(answer).toMatchObject({ voice: { voiceId: 'made-elsewhere', kind: 'clone', consent: true } })
    expect((await start({ reflectionId: id })).status).toBe(201)
    await api.faults()
  })

  test('[V6] an interview uses the server’s interviewer agent', async () => {
    const started = VoiceSessionResponse.parse((await start({ agentType: 'interviewer' })).answer)
    expect(started).toMatchObject({
      mode: 'interview',
      dynamicVariables: { allowed_actions: 'retrieve-context' },
    })
    expect(started.dynamicVariables['explore_next']).not.toBe('')
  })

  test.each<[string, object, string]>([
    ['an interview off the record', { mode: 'onboarding', offRecord: true }, 'interview_requires_ingestion'],
    ['an unknown key', { agentTyp: 'reflection' }, 'validation'],
    ['no channel of ours', { channel: 'fax' }, 'validation'],
    ['a reflection that is not there', { reflectionId: 'rfl_nobody' }, 'reflection_not_found'],
    ['what the provider cannot do', { transport: 'webrtc' }, 'transport_unavailable'],
  ])('%s is refused with its code', async (_, body, code) => {
    expect((await start(body)).code).toBe(code)
  })

  test('[V11] a reflection without a voice has interviews, but no calls', async () => {
    const silent = await api.reflection('Silent')
    await rebuild(api.databaseUrl, silent.id)
    const spoken = await start({ reflectionId: silent.id })
    expect(spoken).toMatchObject({ status: 409, code: 'voice_clone_required' })
    expect(spoken.answer).toMatchObject({ missing: ['no voice is chosen'] })
    const admin = await api.member('admin', silent.id)
    for (const change of [{ voice: { voiceId: 'slt', consent: true } }, { shareIngestion: true }]) {
      const refused = await api.call('PATCH', `/reflections/${silent.id}`, change, admin.token)
      expect(refused.code).toBe('forbidden')
    }
    await api.call('PATCH', `/reflections/${silent.id}`, { voice: { voiceId: 'slt' } }, admin.token)
    const unwilling = await start({ reflectionId: silent.id })
    expect(unwilling.answer).toMatchObject({ missing: ['the person whose voice it is has not consented'] })
    expect((await start({ reflectionId: silent.id, agentType: 'interviewer' })).status).toBe(201)
    await api.call('PATCH', `/reflections/${silent.id}`, { voice: { voiceId: 'slt', consent: true } })
    expect((await start({ reflectionId: silent.id })).status).toBe(201)
  })

  test('[V6] [X1] without promoted artifacts a generic agent speaks, the response says so, and the session continues as text', async () => {
    const bare = await api.reflection('Bare')
    await api.call('PATCH', `/reflections/${bare.id}`, { voice: { voiceId: 'slt', kind: 'stock' } })
    const { answer } = await start({ reflectionId: bare.id })
    const started = VoiceSessionResponse.parse(answer)
    expect(started.warnings).toEqual([
      { code: 'agent_generic', message: expect.stringContaining('no artifacts are promoted') },
    ])
    const record = await api.database.sessions.find(started.sessionId)
    expect(record?.session.agentSnapshot).toMatchObject({
      name: 'Bare',
      system_prompt: expect.stringMatching(/^\[policy [0-9a-f]+\][^]*You are the reflection of Bare/),
      tools: ['retrieve-context', 'request-source-ingest', 'propose-fact-correction'],
    })
    const frames = await converse(started, 'Who are you?')
    expect(frames.some(({ type }) => type === 'agent_response')).toBe(true)
  }, 60_000)
})

interface Frame {
  readonly type: string
  readonly conversation_initiation_metadata_event?: { readonly conversation_id: string }
  readonly agent_response_event?: { readonly agent_response: string }
}

/** Hears the greeting to its end, says one thing, and hears the answer. */
async function converse({ signedUrl = '', dynamicVariables }: VoiceSessionResponse, say: string) {
  const frames: Frame[] = []
  const socket = new WebSocket(signedUrl, 'convai')
  const closed = once(socket, 'close')
  const send = (message: object) => socket.send(JSON.stringify(message))
  let isGreeted = false
  socket.addEventListener('message', ({ data }) => {
    const frame = JSON.parse(String(data)) as Frame
    frames.push(frame)
    if (frame.type === 'audio' && !isGreeted) {
      isGreeted = true
      setTimeout(() => send({ type: 'user_message', text: say }), 30)
    } else if (frame.type === 'agent_response' && isGreeted) {
      socket.close(1000)
    }
  })
  await once(socket, 'open')
  send({ type: 'conversation_initiation_client_data', dynamic_variables: dynamicVariables })
  await closed
  return frames
}
