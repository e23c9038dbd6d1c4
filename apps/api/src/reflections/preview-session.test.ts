import { createHmac } from 'node:crypto'
import { ExploreNext, PreviewVariables, type PersonId, VariablesPreview } from '@parley/contracts'
import { findTablesContaining } from '@parley/postgres/testing'
import { previewSession, verifyConversationBindSig, type VoiceProvider } from '@parley/reflections'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compose } from '../compose.ts'
import { toReflectionHost } from './reflection-host.ts'
import { BINDING_SECRETS, TOOL_SECRET, WEBHOOK_SECRET } from './spoken-api.fixture.ts'
import { CANARY, visitorApi } from './visitor-api.fixture.ts'

let api: Awaited<ReturnType<typeof visitorApi>>
let admin: { readonly personId: string; readonly token: string }
beforeAll(async () => {
  api = await visitorApi()
  admin = await api.member('admin', api.reflectionId)
  await api.call('PATCH', api.at, { creatorName: 'Grace Maker' })
  await api.learned(
    api.reflectionId,
    'letters',
    'Ada Example lives in Kettlewick. Ada Example works as a diver.',
  )
  await api.publish('publish', 'essays')
})
afterAll(() => api[Symbol.asyncDispose]())

const asked = (body: object, token?: string) => api.call('POST', `${api.at}/variables`, body, token)
const look = async (body: Partial<PreviewVariables>, token?: string) =>
  VariablesPreview.parse((await asked(body, token)).answer)
const valueOf = ({ variables }: VariablesPreview, name: string) =>
  variables.find((one) => one.name === name)?.value
const fateOf = ({ variables }: VariablesPreview, name: string) =>
  variables.find((one) => one.name === name)?.fate

test('[V2] [V7] an owner sees the plan, the agent and every variable', async () => {
  const seen = await look({})
  expect(seen.plan).toMatchObject({
    kind: 'allowed',
    mode: 'reflection',
    surface: 'standard',
    role: 'owner',
    actions: ['retrieve-context', 'request-source-ingest', 'propose-fact-correction'],
    ingestion: 'ingest',
    speaker: { agent: 'own', note: expect.stringContaining('brought up to date') as string },
  })
  expect(seen.variables).toHaveLength(18)
  expect(valueOf(seen, 'reflection_display_name')).toBe('Ada Example')
  expect(valueOf(seen, 'preloaded_evidence')).toContain('Kettlewick')
  expect(fateOf(seen, 'reflection_capsule_json')).toBe('withheld')
  expect(fateOf(await look({ agent: 'generic' }), 'reflection_capsule_json')).toBe('sent')
})

test('[P5] a public preview holds nothing private, typed or spoken, with or without a link', async () => {
  const link = await api.share({ namespaces: ['talks'] })
  for (const channel of ['text', 'voice'] as const) {
    for (const mode of ['reflection', 'share'] as const) {
      for (const role of ['guest', 'viewer', 'owner'] as const) {
        const { answer, status } = await asked({ audience: 'public', channel, mode, role })
        expect(status).toBe(200)
        const told = JSON.stringify(answer)
        expect(told).toContain('observatory')
        expect(told.toLowerCase()).not.toContain(CANARY)
        expect(told).not.toMatch(/Grace|diary|letters|Kettlewick/)
      }
    }
  }
  const byLink = await look({ audience: 'public', mode: 'share', linkId: link.id })
  expect(byLink.plan).toMatchObject({ namespaces: ['talks'], actions: ['retrieve-context'] })
  expect(JSON.stringify(byLink)).not.toContain('observatory')
})

test('[V7] recap and context are the previewer’s own', async () => {
  const { answer } = await api.call(
    'POST',
    '/sessions',
    { channel: 'text', reflectionId: api.reflectionId, title: 'About comets' },
    admin.token,
  )
  const { sessionId } = answer as { readonly sessionId: string }
  await api.call('POST', `/sessions/${sessionId}/messages`, { text: 'Fernlight was here.' }, admin.token)
  await expect
    .poll(async () => valueOf(await look({}, admin.token), 'session_recap'), { timeout: 20_000 })
    .toContain('Fernlight was here.')
  const own = await look({}, admin.token)
  expect(own.plan).toMatchObject({ surface: 'memory' })
  expect(valueOf(own, 'user_context')).toContain('About comets')
  expect(JSON.stringify(await look({ surface: 'memory' }))).not.toMatch(/Fernlight|About comets/)
  expect(JSON.stringify(await look({ surface: 'standard' }, admin.token))).not.toMatch(/Fernlight|comets"/)
})

test('[V7] an operator gets the questions of an interview in order, a viewer does not', async () => {
  const [operator, viewer] = await Promise.all([
    api.member('operator', api.reflectionId),
    api.member('viewer', api.reflectionId),
  ])
  const { status, answer } = await api.call('GET', `${api.at}/explore-next`, undefined, operator.token)
  const { items } = ExploreNext.parse(answer)
  expect([status, items[0]]).toEqual([200, 'Where did you grow up, and what was it like there?'])
  expect(items.join(' ')).toBe(valueOf(await look({ mode: 'interview' }), 'explore_next'))
  expect((await api.call('GET', `${api.at}/explore-next`, undefined, viewer.token)).status).toBe(403)
})

const hmac = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex')

test('[V10] the placeholder of the signature never verifies', async () => {
  const seen = await look({})
  const signature = valueOf(seen, 'conversation_bind_sig') ?? ''
  const conversation = valueOf(seen, 'conversation_id') ?? ''
  expect(signature).toHaveLength(64)
  expect(verifyConversationBindSig(conversation, signature, BINDING_SECRETS, hmac)).toBe(false)
  expect((await api.call('GET', `/sessions/${conversation}`)).status).toBe(404)
})

test('a preview starts nothing, stores nothing and never calls the provider', async () => {
  const askedOf: string[] = []
  const provider = new Proxy({} as VoiceProvider, {
    get: (_, name) => () => {
      askedOf.push(String(name))
      throw new Error('The provider was asked.')
    },
  })
  const voice = {
    provider,
    socketOrigin: 'ws://127.0.0.1:1',
    publicUrl: api.publicUrl,
    bindingSecrets: BINDING_SECRETS,
    toolSecret: TOOL_SECRET,
    webhookSecret: WEBHOOK_SECRET,
    defaultVoiceId: 'made-up-voice',
  }
  const { databaseUrl, home } = api
  const { services, database } = await compose({
    databaseUrl,
    home,
    voice,
    logger: pino({ level: 'silent' }),
  })
  const standing = async () => ({
    sessions: (await api.call('GET', '/sessions')).answer,
    surfaces: (await api.call('GET', `${api.at}/sync`)).answer,
    rows: await findTablesContaining(databaseUrl, 'ses_00000000000000000000'),
  })
  const before = await standing()
  const reflection = await services.reflections.find(api.reflectionId)
  if (!reflection) throw new Error('no reflection')
  const previewer = { reflection, personId: admin.personId as PersonId, role: 'admin' } as const
  for (const body of [
    {},
    { mode: 'interview' },
    { audience: 'public', mode: 'share' },
    { channel: 'text' },
  ]) {
    const { plan } = await previewSession(PreviewVariables.parse(body), previewer, toReflectionHost(services))
    expect(plan.kind).toBe('allowed')
  }
  expect(askedOf).toEqual([])
  expect(await standing()).toEqual({ ...before, rows: [] })
  await database.close()
})

test.each<[string, Partial<PreviewVariables>, object]>([
  ['an interview is not for the public', { mode: 'interview', audience: 'public' }, { code: 'forbidden' }],
  ['nor for viewers', { mode: 'interview', role: 'viewer' }, { code: 'forbidden' }],
  [
    'nor off the record',
    { mode: 'interview', offRecord: true },
    { code: 'interview_requires_ingestion', because: [] },
  ],
])('[V5] a preview is refused with the reason: %s', async (_, body, expected) => {
  const seen = await look(body)
  expect(seen).toMatchObject({ plan: { kind: 'refused', ...expected }, variables: [] })
})

test('[P8] a public session is refused until the published namespaces are built', async () => {
  await api.call('POST', `${api.at}/unpublish`, { namespaces: ['talks'] })
  for (const channel of ['text', 'voice'] as const) {
    const { plan } = await look({ audience: 'public', channel })
    expect(plan).toMatchObject({ kind: 'refused', code: expect.stringMatching(/^public_runtime_/) as string })
  }
  await api.publish('publish', 'talks')
  expect((await look({ audience: 'public' })).plan.kind).toBe('allowed')
})

test('[V17] a revoked link starts no session', async () => {
  const link = await api.share()
  await api.revoke(link.id)
  expect((await look({ audience: 'public', linkId: link.id })).plan).toMatchObject({
    kind: 'refused',
    code: 'share_link_invalid',
    message: expect.stringContaining('revoked') as string,
  })
})

test('[V11] a missing voice refuses spoken sessions only', async () => {
  const mute = await api.reflection('Without a voice')
  const at = `/reflections/${mute.id}/variables`
  expect((await api.call('POST', at, {})).answer).toMatchObject({ plan: { code: 'voice_clone_required' } })
  expect((await api.call('POST', at, { channel: 'text' })).answer).toMatchObject({
    plan: { kind: 'allowed', speaker: { agent: 'generic' } },
  })
})

test('[V8] a smaller budget cuts more, by rank', async () => {
  const full = await look({ agent: 'generic' })
  const less = await look({ agent: 'generic', budget: full.budget.used - 1 })
  expect(fateOf(less, 'reflection_capsule_json')).toMatch(/cut|dropped/)
  expect(less.budget.used).toBeLessThan(full.budget.used)
  expect((await look({ budget: 10 })).budget.isOver).toBe(true)
})

test.each<[object, string]>([
  [{ audience: 'public', surface: 'memory' }, 'a public session always uses the public surface'],
  [{ audience: 'public', agent: 'generic' }, 'never uses the generic agent'],
  [{ channel: 'text', agent: 'generic' }, 'promoted pack'],
  [{ linkId: 'lnk_madeup' }, 'use audience=public'],
  [{ budget: 10_001 }, 'budget'],
  [{ audiense: 'public' }, 'did you mean "audience"'],
])('%j is refused with a fix', async (body, expected) => {
  const { status, answer } = await asked(body)
  expect(status).toBe(400)
  expect(JSON.stringify(answer)).toContain(expected.replaceAll('"', '\\"'))
})

test('a link of another reflection is not found', async () => {
  expect((await asked({ audience: 'public', linkId: 'lnk_madeup' })).status).toBe(404)
})
