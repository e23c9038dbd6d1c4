import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { once } from 'node:events'
import { Conversation } from '@elevenlabs/client'
import { type PersonId, type ReflectionId, VoiceSessionResponse } from '@parley/contracts'
import { reconcileCalls, AgentTemplate, type ReflectionSession } from '@parley/reflections'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { rebuild } from '../testing/learn.ts'
import { toReflectionHost } from './reflection-host.ts'
import { claimOf, spokenApi, TOOL_SECRET } from './spoken-api.fixture.ts'

type Api = Awaited<ReturnType<typeof spokenApi>>

const { signal } = new AbortController()
const PATIENCE = { timeout: 30_000, interval: 50 }

let api: Api
let reflectionId: ReflectionId
let operator: { readonly personId: PersonId; readonly token: string }
let agentId: string

beforeAll(async () => {
  api = await spokenApi({ webhookSecret: null })
  reflectionId = (await api.reflection()).id
  operator = await api.member('operator', reflectionId)
  await api.learned(reflectionId, 'work', 'The observatory in Ankara was opened in 1954.')
  agentId = await makeAgent()
}, 60_000)
afterAll(() => api[Symbol.asyncDispose]())

test('[X1] a call through the vendor’s client: its agent searches here, its webhook arrives here, and it continues as text', async () => {
  const { session, talk } = await started('whole')
  const replies = await talk('When was the observatory in Ankara opened?')
  expect(replies.join(' ')).toContain('1954')

  const mine = (method: string, rest: string, body?: unknown) =>
    api.call(method, `/sessions/${session.sessionId}${rest}`, body, operator.token)
  await expect
    .poll(async () => JSON.stringify((await mine('GET', '/messages')).answer), PATIENCE)
    .toContain('1954')
  const heard = JSON.stringify((await mine('GET', '/messages')).answer)
  expect(heard).toContain('"tool_call"')
  expect(heard).toContain('"tool_result"')
  const ended = expect.any(String)
  expect((await mine('GET', '/turns')).answer).toMatchObject({
    items: [{ stopReason: 'completed', endedAt: ended, calls: [{ endedAt: ended }] }],
  })

  expect(await mine('POST', '/messages', { text: 'Thank you.' })).toMatchObject({ status: 202 })
  await expect
    .poll(async () => (await mine('GET', '')).answer, PATIENCE)
    .toSatisfy(
      (view: { openTurn?: unknown; messageCount: number }) => !view.openTurn && view.messageCount > 5,
    )
  const exported = await mine('POST', '/export', {})
  expect(exported.answer).toContain('observatory')
  expect(exported.answer).toContain('Thank you.')
})

test('[X1] a session from start to export: planned, synced, spoken, searched, stored, continued as text', async () => {
  const voice = { voiceId: 'slt', kind: 'stock' }
  expect(await api.call('PATCH', `/reflections/${reflectionId}`, { voice })).toMatchObject({ status: 200 })
  await rebuild(api.databaseUrl, reflectionId)
  const begun = await api.call('POST', '/sessions', { channel: 'voice', reflectionId }, operator.token)
  expect(begun).toMatchObject({ status: 201, answer: { transport: 'websocket', mode: 'reflection' } })
  const { sessionId, signedUrl, dynamicVariables } = VoiceSessionResponse.parse(begun.answer)
  if (signedUrl === undefined) throw new Error('There is no address to connect to')
  await speak('When was the observatory in Ankara opened?', signedUrl, dynamicVariables, /1954/)

  const mine = (method: string, rest: string, body?: unknown) =>
    api.call(method, `/sessions/${sessionId}${rest}`, body, operator.token)
  const heard = async () => JSON.stringify((await mine('GET', '/messages')).answer)
  await expect.poll(heard, PATIENCE).toContain('1954')
  expect(await mine('POST', '/messages', { text: 'Where is the observatory?' })).toMatchObject({
    status: 202,
  })
  // Typed on, it looks up by the same tool.
  await expect.poll(async () => (await heard()).split('"tool_result"').length, PATIENCE).toBeGreaterThan(2)
  expect((await mine('POST', '/export', {})).answer).toContain('observatory')
})

test('[V4] a call with the id and signature of another session gets nothing', async () => {
  const other = await api.spoken({
    name: 'other',
    reflectionId,
    personId: operator.personId,
    namespaces: ['work'],
  })
  const { talk } = await started('intruder', claimOf(other), [])
  const replies = await talk('When was the observatory in Ankara opened?')
  expect(replies.join(' ')).not.toContain('1954')
})

test('[V16] a call whose webhook is lost is read from the provider', async () => {
  await api.faults({ match: 'webhook', times: 1, webhookDelayMs: 86_400_000 })
  const { session, talk } = await started('lost')
  await talk('When was the observatory in Ankara opened?')
  const { services, close } = await api.services()
  try {
    const later = Date.now() + 20 * 60_000
    await expect
      .poll(async () => {
        await reconcileCalls(toReflectionHost(services), signal, later)
        return (await api.database.sessionRows.find(session.sessionId))?.transcript
      }, PATIENCE)
      .toBe('stored')
  } finally {
    await close()
  }
  const messages = await api.database.sessions.readMessages(session.sessionId, { after: 0, limit: 100 })
  expect(JSON.stringify(messages)).toContain('1954')
})

test('[V5] off the record: when the webhook arrives, the provider’s copy is deleted', async () => {
  const { session, talk } = await started('unrecorded', undefined, ['work'], 'off-record')
  await talk('When was the observatory in Ankara opened?')
  await expect
    .poll(async () => (await api.database.sessionRows.find(session.sessionId))?.status, PATIENCE)
    .toBe('ended')
  expect(await api.provider.readConversation(session.providerConversationId, signal)).toBeUndefined()
  expect(await api.database.sessions.find(session.sessionId)).toBeUndefined()
})

test('[V16] a call without a connection ends after an hour', async () => {
  const { session } = await started('unused')
  const { services, close } = await api.services()
  try {
    await reconcileCalls(toReflectionHost(services), signal, Date.now() + 30 * 60_000)
    expect(await api.database.sessionRows.find(session.sessionId)).toMatchObject({
      transcript: 'pending',
    })
    await reconcileCalls(toReflectionHost(services), signal, Date.now() + 2 * 3_600_000)
    expect(await api.database.sessionRows.find(session.sessionId)).toMatchObject({
      status: 'ended',
      transcript: 'none',
    })
  } finally {
    await close()
  }
})

test('[V16] the webhook’s secret is stored, and a lost one is replaced', async () => {
  const file = join(api.home, 'webhook.json')
  const keptBefore = await readFile(file, 'utf8')
  const again = await api.services()
  await again.services.webhook?.id()
  expect(await readFile(file, 'utf8')).toBe(keptBefore)
  await again.close()

  await rm(file)
  const anew = await api.services()
  expect(await anew.services.webhook?.id()).not.toBe(
    (JSON.parse(keptBefore) as { webhookId: string }).webhookId,
  )
  expect(await anew.services.webhook?.secrets()).toHaveLength(1)
  await anew.close()
})

/** A session of the operator, bound to a conversation that the provider gives out, and how to talk in it. */
async function started(
  name: string,
  claim?: ReturnType<typeof claimOf>,
  namespaces: readonly string[] = ['work'],
  ingestion: ReflectionSession['ingestion'] = 'keep-only',
) {
  const issued = await api.provider.getSignedUrl(agentId, signal)
  if (issued.kind !== 'signed_url') throw new Error(issued.reason)
  const { signedUrl, providerConversationId } = issued
  const { personId } = operator
  const session = await api.spoken({
    name,
    reflectionId,
    personId,
    namespaces,
    ingestion,
    providerConversationId,
  })
  const { conversation_id, conversation_bind_sig } = claim ?? claimOf(session)
  const talk = (question: string) => say(question, signedUrl, { conversation_id, conversation_bind_sig })
  return { session, talk }
}

/** One question, its answer, and goodbye. */
async function say(
  question: string,
  signedUrl: string,
  dynamicVariables: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const replies: string[] = []
  const gone = Promise.withResolvers<unknown>()
  const conversation = await Conversation.startSession({
    signedUrl,
    textOnly: true,
    dynamicVariables,
    onMessage: ({ source, message }) => void (source === 'ai' && replies.push(message)),
    onDisconnect: gone.resolve,
  })
  conversation.sendUserMessage(question)
  await expect.poll(() => replies.length, PATIENCE).toBeGreaterThan(0)
  await conversation.endSession()
  await gone.promise
  return replies
}

/** The same in a call with sound, which our agents take alone: until it was answered as wanted. */
async function speak(
  question: string,
  signedUrl: string,
  dynamic_variables: Readonly<Record<string, string>>,
  wanted: RegExp,
): Promise<void> {
  const socket = new WebSocket(signedUrl, 'convai')
  const closed = once(socket, 'close')
  const send = (message: object) => socket.send(JSON.stringify(message))
  let asked = false
  socket.on('message', (data: Buffer) => {
    const text = data.toString()
    const { type } = JSON.parse(text) as { readonly type: string }
    if (type === 'audio' && !asked) {
      asked = true
      send({ type: 'user_message', text: question })
    } else if (type === 'agent_response' && wanted.test(text)) {
      setTimeout(() => socket.close(1000), HEARD_MS)
    }
  })
  await once(socket, 'open')
  send({ type: 'conversation_initiation_client_data', dynamic_variables })
  await closed
}

/** An interrupted answer ends at the interruption. */
const HEARD_MS = 500

const given = (variable: string) =>
  ({ type: 'string', isRequired: true, value: { kind: 'variable', variable } }) as const

async function makeAgent(): Promise<string> {
  const { provider } = api
  const secretId = await provider.ensureSecret('parley_tools', TOOL_SECRET, signal)
  const toolId = await provider.ensureTool(
    {
      name: 'retrieve-context',
      description: 'Finds what the sources say about a question.',
      url: `${api.publicUrl}/v1/tools/retrieve-context`,
      headers: { 'x-tool-secret': { secretId } },
      timeoutSeconds: 5,
      parameters: {
        query: { type: 'string', isRequired: true, value: { kind: 'model', description: 'The question' } },
        conversation_id: given('conversation_id'),
        conversation_bind_sig: given('conversation_bind_sig'),
        provider_conversation_id: given('system__conversation_id'),
      },
    },
    signal,
  )
  const { services, close } = await api.services()
  const postCallWebhookId = (await services.webhook?.id()) ?? null
  await close()
  return provider.createAgent(
    AgentTemplate.parse({
      name: 'Ada',
      prompt: 'You speak for Ada.',
      firstMessage: '',
      voiceId: 'made-up-voice',
      toolIds: [toolId],
      postCallWebhookId,
      placeholders: { conversation_id: 'none', conversation_bind_sig: 'none' },
      overrides: ['conversation.textOnly'],
    }),
    signal,
  )
}
