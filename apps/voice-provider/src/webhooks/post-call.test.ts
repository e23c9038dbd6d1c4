import { once } from 'node:events'
import type { ElevenLabs } from '@elevenlabs/elevenlabs-js'
import { verifyWebhook } from '@parley/elevenlabs'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { API_KEY, startTestVoice } from '../testing/test-voice.ts'
import { createVendorClient } from '../testing/vendor-client.ts'
import { startReceiver, verifyEvent } from './receiver.fixture.ts'

/** Generous, because a busy machine is slow. */
const PATIENT = { timeout: 20_000 }

type Events = ElevenLabs.ConvAiWebhooks['events']

/** A provider that sends its calls to a receiver. */
async function createProvider(url: string, events?: Events) {
  const voice = await startTestVoice()
  const { conversationalAi, webhooks } = createVendorClient(voice)
  const created = await webhooks.create({ settings: { authType: 'hmac', name: 'Calls', webhookUrl: url } })
  const shared = { postCallWebhookId: created.webhookId, ...(events && { events }) }
  await conversationalAi.settings.update({ webhooks: shared })
  return {
    voice,
    conversationalAi,
    webhooks,
    webhookId: created.webhookId,
    secret: created.webhookSecret ?? '',
  }
}

type PostCallProvider = Awaited<ReturnType<typeof createProvider>>

/** Makes one call, waits for the greeting, and returns the conversation's id. */
async function call({ voice, conversationalAi }: PostCallProvider, change: object = {}): Promise<string> {
  const { agentId } = await conversationalAi.agents.create({
    name: 'Ada',
    conversationConfig: {
      agent: {
        firstMessage: 'Hello {{user_name}}.',
        dynamicVariables: { dynamic_variable_placeholders: { user_name: 'nobody' } },
      },
    },
    ...change,
  })
  const socket = new WebSocket(
    `${voice.url.replace('http', 'ws')}/v1/convai/conversation?agent_id=${agentId}`,
  )
  const closed = once(socket, 'close')
  let conversationId = ''
  socket.on('message', (data: Buffer) => {
    const frame = JSON.parse(data.toString())
    if (frame.type === 'conversation_initiation_metadata')
      conversationId = frame.conversation_initiation_metadata_event.conversation_id
    if (frame.type === 'audio') socket.close(1000)
  })
  await once(socket, 'open')
  const dynamic_variables = { user_name: 'Ada', secret__key: 'made-up-secret' }
  socket.send(JSON.stringify({ type: 'conversation_initiation_client_data', dynamic_variables }))
  await closed
  return conversationId
}

test('[X2] an ended call is delivered with its whole conversation', async () => {
  const { url, has } = await startReceiver()
  const provider = await createProvider(url)
  const conversationId = await call(provider)
  const [told] = await has(1)
  if (!told) throw new Error('nothing came')
  const event = await verifyEvent(told, provider.secret)
  expect(event).toMatchObject({
    type: 'post_call_transcription',
    event_timestamp: expect.any(Number),
    data: {
      conversation_id: conversationId,
      status: 'done',
      // The caller hung up when the greeting began.
      transcript: [{ role: 'agent', original_message: 'Hello Ada.', interrupted: true }],
      conversation_initiation_client_data: { dynamic_variables: { user_name: 'Ada' } },
    },
  })
  expect(told.body).not.toContain('made-up-secret')
})

test('[V16] our own adapter accepts the delivery', async () => {
  const { url, has } = await startReceiver()
  const provider = await createProvider(url, ['transcript', 'audio'])
  const conversationId = await call(provider)
  const told = await has(2)
  const results = await Promise.all(
    told.map(({ headers, body }) =>
      verifyWebhook({
        rawBody: Buffer.from(body),
        header: String(headers['elevenlabs-signature']),
        secrets: [provider.secret],
        now: Date.now(),
        seen: { isTaken: async () => false },
      }),
    ),
  )
  const kinds = results.map((result) => result.kind === 'verified' && result.event.kind)
  expect(new Set(kinds)).toEqual(new Set(['audio', 'transcript']))
  const audio = results.flatMap((result) =>
    result.kind === 'verified' && result.event.kind === 'audio' ? [result.event] : [],
  )
  expect(audio).toMatchObject([{ conversationId }])
  expect(Buffer.from(audio[0]?.audio ?? []).toString('latin1', 0, 4)).toBe('RIFF')
})

test('[X2] an agent’s webhook replaces the workspace’s', async () => {
  const shared = await startReceiver()
  const own = await startReceiver()
  const provider = await createProvider(shared.url)
  const { webhookId, webhookSecret = '' } = await provider.webhooks.create({
    settings: { authType: 'hmac', name: 'Own', webhookUrl: own.url },
  })
  const webhooks = { postCallWebhookId: webhookId }
  await call(provider, { platformSettings: { workspaceOverrides: { webhooks } } })
  const [told] = await own.has(1)
  expect(told && (await verifyEvent(told, webhookSecret))).toMatchObject({ type: 'post_call_transcription' })
  expect(shared.received).toEqual([])
})

test('[X2] fault rules delay and duplicate deliveries', async () => {
  const { url, has } = await startReceiver()
  const provider = await createProvider(url)
  await fetch(`${provider.voice.url}/parley/faults`, {
    method: 'PUT',
    headers: { 'xi-api-key': API_KEY },
    body: JSON.stringify({ rules: [{ match: 'webhook', webhookDelayMs: 1_500, webhookTwice: true }] }),
  })
  const conversationId = await call(provider)
  const told = await Promise.all((await has(2)).map((each) => verifyEvent(each, provider.secret)))
  expect(told.map(({ data }) => data.conversation_id)).toEqual([conversationId, conversationId])
  // The second delivery was signed when it was due.
  const [first] = await has(2)
  const sentAt = Number(/t=(\d+)/.exec(String(first?.headers['elevenlabs-signature']))?.[1])
  expect(sentAt).toBeGreaterThan(told[0].event_timestamp)
})

test('[X2] a disabled webhook gets no deliveries', async () => {
  const { url, has, received } = await startReceiver()
  const provider = await createProvider(url)
  const { conversationalAi, webhooks, webhookId } = provider
  await webhooks.update(webhookId, { isDisabled: true, name: 'Calls' })
  const untold = await call(provider)
  await expect
    .poll(async () => (await conversationalAi.conversations.get(untold)).status, PATIENT)
    .toBe('done')
  await webhooks.update(webhookId, { isDisabled: false, name: 'Calls' })
  const conversationId = await call(provider)
  const [first] = await has(1)
  expect(first && (await verifyEvent(first, provider.secret))).toMatchObject({
    data: { conversation_id: conversationId },
  })
  expect(received).toHaveLength(1)
})

test('[X2] ten failures in a row disable a webhook, and enabling it resets the count', async () => {
  const { url } = await startReceiver((place) => (place < 10 ? 404 : 410))
  const provider = await createProvider(url)
  const { webhooks, webhookId } = provider
  const readWebhook = async () => (await webhooks.list()).webhooks[0]
  for (let calls = 0; calls < 10; calls += 1) await call(provider)
  await expect.poll(async () => (await readWebhook())?.isAutoDisabled, PATIENT).toBe(true)
  await webhooks.update(webhookId, { isDisabled: false, name: 'Calls' })
  await call(provider)
  await expect.poll(async () => (await readWebhook())?.mostRecentFailureErrorCode, PATIENT).toBe(410)
  expect(await readWebhook()).toMatchObject({ isAutoDisabled: false })
})
