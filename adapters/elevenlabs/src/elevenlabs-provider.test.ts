import { afterAll, beforeAll, expect, test } from 'vitest'
import { createElevenLabsProvider } from './elevenlabs-provider.ts'
import {
  replyWithJson,
  replyWithRefusal,
  startVendorServer,
  type VendorServer,
} from './testing/vendor-server.ts'
import { wireConversation } from './testing/wire-conversation.ts'

const NOON = Date.parse('2026-01-01T12:00:00Z')
const QUARTER_PAST = '2026-01-01T12:15:00.000Z'
const { signal } = new AbortController()

let server: VendorServer
beforeAll(async () => {
  server = await startVendorServer()
})
afterAll(() => server.close())

const provider = () =>
  createElevenLabsProvider({ apiKey: 'made-up-key', baseUrl: server.url, now: () => NOON })

const address = 'wss://127.0.0.1/v1/convai/conversation?agent_id=agent_1&conversation_signature=cvtkn_1'

test.each([
  ['in the address', { signed_url: `${address}&conversation_id=conv_1` }],
  ['beside it', { signed_url: address, conversation_id: 'conv_1' }],
])('[V9] a signed URL has a conversation id: %s', async (_, answer) => {
  server.script(replyWithJson(answer))
  expect(await provider().getSignedUrl('agent_1', signal)).toEqual({
    kind: 'signed_url',
    signedUrl: answer.signed_url,
    providerConversationId: 'conv_1',
    expiresAt: QUARTER_PAST,
  })
  expect(server.requests[0]?.path).toBe(
    '/v1/convai/conversation/get-signed-url?agent_id=agent_1&include_conversation_id=true',
  )
})

test('[V9] a signed URL without a conversation id is rejected', async () => {
  server.script(replyWithJson({ signed_url: address }))
  await expect(provider().getSignedUrl('agent_1', signal)).rejects.toMatchObject({
    code: 'provider_unavailable',
    message: expect.stringContaining('without a conversation id'),
  })
})

const jwt = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.made-up`

test.each([
  ['as stated', jwt({ exp: NOON / 1_000 + 60 }), '2026-01-01T12:01:00.000Z'],
  ['after the usual time if not stated', jwt({}), QUARTER_PAST],
  ['after the usual time if not readable', 'opaque', QUARTER_PAST],
])('[V9] a conversation token expires %s', async (_, token, expiresAt) => {
  server.script(replyWithJson({ token, conversation_id: 'conv_1' }))
  expect(await provider().getConversationToken('agent_1', signal)).toEqual({
    kind: 'conversation_token',
    conversationToken: token,
    providerConversationId: 'conv_1',
    expiresAt,
  })
})

test('[V16] an interrupted answer contains only the part that was heard', async () => {
  server.script(replyWithJson(wireConversation))
  expect(await provider().readConversation('conv_1', signal)).toEqual({
    conversationId: 'conv_1',
    agentId: 'agent_1',
    status: 'done',
    startedAt: '2026-01-01T12:00:00.000Z',
    durationSeconds: 31,
    hasAudio: true,
    endReason: 'Client ended call',
    variables: { reflection_id: 'rfl_1', depth: 2 },
    entries: [
      { role: 'agent', text: 'Hello.', isInterrupted: false, atSeconds: 0, toolCalls: [] },
      { role: 'person', text: 'Where did you live?', isInterrupted: false, atSeconds: 2, toolCalls: [] },
      {
        role: 'agent',
        text: 'In Ankara, and...',
        isInterrupted: true,
        atSeconds: 5,
        toolCalls: [
          {
            callId: 'call_1',
            name: 'retrieve_context',
            input: '{"query":"homes"}',
            result: { text: '[]', isError: false, tookSeconds: 0 },
          },
          { callId: 'call_2', name: 'end_call', input: '{}' },
        ],
      },
    ],
  })
})

test('[V16] a transcript with missing or new optional fields is read', async () => {
  const { transcript, metadata, ...bare } = wireConversation
  const { has_audio: _, conversation_initiation_client_data: __, ...barest } = bare
  server.script(
    replyWithJson({ ...barest, metadata, status: 'archived', transcript: [{ role: 'user' }], news: 1 }),
  )
  expect(await provider().readConversation('conv_1', signal)).toMatchObject({
    status: 'processing',
    hasAudio: false,
    variables: {},
    entries: [{ role: 'person', text: '' }],
  })
  expect(transcript).toHaveLength(3)
})

test('[V16] a missing conversation reads as undefined and removes without error', async () => {
  server.script(replyWithRefusal(404, 'No such conversation'))
  expect(await provider().readConversation('../agents', signal)).toBeUndefined()
  expect(server.requests[0]?.path).toBe('/v1/convai/conversations/..%2Fagents')
  await provider().removeConversation('conv_1', signal)
})

const summary = (conversationId: string) => ({
  agent_id: 'agent_1',
  conversation_id: conversationId,
  start_time_unix_secs: 1_767_268_800,
  call_duration_secs: 31,
  message_count: 3,
  status: 'done',
  call_successful: 'success',
})

test('[V16] lists conversations started after a time, page by page', async () => {
  server.script(
    replyWithJson({ conversations: [summary('conv_1')], has_more: true, next_cursor: 'more' }),
    replyWithJson({ conversations: [summary('conv_2')], has_more: false, next_cursor: null }),
  )
  const query = { agentId: 'agent_1', after: '2026-01-01T00:00:00.500Z' }
  const first = await provider().listConversations(query, signal)
  expect(first).toEqual({
    conversations: [
      {
        conversationId: 'conv_1',
        agentId: 'agent_1',
        status: 'done',
        startedAt: '2026-01-01T12:00:00.000Z',
        durationSeconds: 31,
      },
    ],
    nextCursor: 'more',
  })
  const second = await provider().listConversations({ ...query, cursor: 'more' }, signal)
  expect(second).toMatchObject({ conversations: [{ conversationId: 'conv_2' }] })
  expect(second).not.toHaveProperty('nextCursor')
  const asked = 'page_size=100&agent_id=agent_1&call_start_after_unix=1767225600'
  expect(server.requests.map(({ path }) => sorted(path))).toEqual([
    sorted(`?${asked}`),
    sorted(`?cursor=more&${asked}`),
  ])
})

const sorted = (path: string) =>
  path
    .slice(path.indexOf('?') + 1)
    .split('&')
    .toSorted()
