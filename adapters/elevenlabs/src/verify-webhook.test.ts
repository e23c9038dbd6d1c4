import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyLetter } from '@parley/contracts/testing'
import { wireConversation } from './testing/wire-conversation.ts'
import {
  type ReceivedWebhook,
  type RefusedReason,
  toWebhookEvent as readEvent,
  verifyWebhook,
} from './verify-webhook.ts'

const event_timestamp = 1_767_268_800
const sentAt = '2026-01-01T12:00:00.000Z'
const signedAt = 1_767_268_900
const toWebhookEvent = (body: unknown) => readEvent(body, signedAt)
const names = { agent_id: 'agent_1', conversation_id: 'conv_1' }

test('[V16] a transcript webhook gives the same conversation as reading it', () => {
  expect(
    toWebhookEvent({ type: 'post_call_transcription', event_timestamp, data: wireConversation }),
  ).toMatchObject({
    kind: 'transcript',
    sentAt,
    conversation: {
      conversationId: 'conv_1',
      variables: { reflection_id: 'rfl_1' },
      entries: [{}, {}, { text: 'In Ankara, and...', isInterrupted: true }],
    },
  })
})

const said = { conversation_id: 'conv_1', transcript: [{ role: 'user', message: 'Where?' }] }

test.each<[string, object, object]>([
  [
    'nothing else',
    { data: said },
    { agentId: '', startedAt: '2026-01-01T12:01:40.000Z', durationSeconds: 0 },
  ],
  ['the event’s time', { event_timestamp, data: said }, { startedAt: sentAt }],
  ['a status of null', { data: { ...said, status: null, metadata: null } }, { status: 'done' }],
  ['a status', { data: { ...said, status: 'failed' } }, { status: 'failed' }],
  [
    'half of its metadata',
    { data: { ...said, metadata: { call_duration_secs: 7 } } },
    { durationSeconds: 7 },
  ],
  [
    'a time of its own',
    { event_timestamp: 1, data: { ...said, metadata: { start_time_unix_secs: event_timestamp } } },
    { startedAt: sentAt },
  ],
])('[V16] a transcript with its id, its entries and %s is accepted', (_, body, conversation) => {
  expect(toWebhookEvent({ type: 'post_call_transcription', ...body })).toMatchObject({
    kind: 'transcript',
    conversation: {
      conversationId: 'conv_1',
      status: 'done',
      entries: [{ text: 'Where?' }],
      ...conversation,
    },
  })
})

const call = (request_id: string) => ({ request_id, tool_name: 'retrieve-context' })

test('[V16] a tool call gets its result as text, even from a later entry', () => {
  const transcript = [
    { role: 'agent', message: null, tool_calls: [call('call_1'), call('call_2'), call('call_3')] },
    { role: 'agent', tool_results: [{ request_id: 'call_2', result_value: { evidence: [] } }] },
    { role: 'agent', message: 'In Oslo.', tool_results: [{ request_id: 'call_1', result_value: '[]' }] },
  ]
  const told = toWebhookEvent({ type: 'post_call_transcription', data: { ...said, transcript } })
  const calls = told.kind === 'transcript' ? told.conversation.entries[0]?.toolCalls : []
  expect(calls?.map(({ callId, result }) => [callId, result?.text])).toEqual([
    ['call_1', '[]'],
    ['call_2', '{"evidence":[]}'],
    ['call_3', undefined],
  ])
})

test('[V16] audio and failed calls name their conversation', () => {
  const audio = { ...names, full_audio: Buffer.from('mp3').toString('base64') }
  expect(toWebhookEvent({ type: 'post_call_audio', event_timestamp, data: audio })).toEqual({
    kind: 'audio',
    sentAt,
    conversationId: 'conv_1',
    agentId: 'agent_1',
    audio: Buffer.from('mp3'),
  })
  const failed = { ...names, failure_reason: 'busy', metadata: { body: {} } }
  expect(toWebhookEvent({ type: 'call_initiation_failure', event_timestamp, data: failed })).toEqual({
    kind: 'call_failed',
    sentAt,
    conversationId: 'conv_1',
    agentId: 'agent_1',
    reason: 'busy',
  })
})

test.each<[string, object, string]>([
  ['a future type', { type: 'post_call_smell', data: {} }, 'post_call_smell'],
  [
    'a known type in another shape',
    { type: 'post_call_audio', event_timestamp, data: names },
    'post_call_audio',
  ],
  ...['conversation_id', 'agent_id'].map((name): [string, object, string] => [
    `a call that failed with an empty ${name}`,
    { type: 'call_initiation_failure', event_timestamp, data: { ...names, [name]: '' } },
    'call_initiation_failure',
  ]),
  ['no type', { data: 1 }, ''],
  ['no object', [1], ''],
])('[V16] %s is passed on unchanged', (_, body, type) => {
  expect(toWebhookEvent(body)).toEqual({ kind: 'unknown', type, body })
})

test('[V16] ids of one character are ids', () => {
  const data = { conversation_id: 'c', agent_id: 'a' }
  expect(toWebhookEvent({ type: 'call_initiation_failure', event_timestamp, data })).toMatchObject({
    kind: 'call_failed',
    conversationId: 'c',
    agentId: 'a',
  })
})

test('[V16] any body gives an event', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (body) => {
      expect(toWebhookEvent({ type: 'post_call_transcription', event_timestamp, data: body }).kind).toBe(
        'unknown',
      )
    }),
  )
})

const SECRET = 'wsec_made_up_current'
const OLD_SECRET = 'wsec_made_up_before'
const NOON = Date.parse('2026-01-01T12:00:00Z')
const MINUTE = 60_000
const BODY = JSON.stringify({
  type: 'post_call_transcription',
  event_timestamp: NOON / 1_000,
  data: wireConversation,
})

const hashOf = (timestamp: number | string, body: string | Uint8Array, secret = SECRET) =>
  createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')

const headerOf = (at: number, body: string | Uint8Array = BODY, secret = SECRET) =>
  `t=${Math.floor(at / 1_000)},v0=${hashOf(Math.floor(at / 1_000), body, secret)}`

function memoryClaims() {
  const taken = new Set<string>()
  return { isTaken: async (key: string) => taken.has(key), take: (key: string) => taken.add(key) }
}

const received = (
  given: Partial<Omit<ReceivedWebhook, 'rawBody'>> & { readonly body?: string | Uint8Array },
) => {
  const { body = BODY, ...rest } = given
  return verifyWebhook({
    rawBody: Buffer.from(body),
    header: headerOf(NOON, body),
    secrets: [SECRET, OLD_SECRET],
    now: NOON,
    seen: memoryClaims(),
    ...rest,
  })
}

const T = NOON / 1_000
const GOOD = hashOf(T, BODY)
const OTHER = 'ab'.repeat(32)

test.each<[string, string]>([
  ['as the vendor writes it', `t=${T},v0=${GOOD}`],
  ['with spaces', `  t=${T} , v0=${GOOD} `],
  ['in another order', `v0=${GOOD},t=${T}`],
  ['with a second hash before it', `t=${T},v0=${OTHER},v0=${GOOD}`],
  ['with a second hash after it', `t=${T},v0=${GOOD},v0=${OTHER}`],
  ['with a future scheme', `t=${T},v1=whatever,v0=${GOOD}`],
  ['with spaces around its values', `t= ${T},v0= ${GOOD}`],
  ['the tenth of ten', `t=${T},${`v0=${OTHER},`.repeat(9)}v0=${GOOD}`],
  ['in a header of the maximum length', `t=${T},v0=${GOOD},`.padEnd(4_096, 'x')],
  ['in capitals', `t=${T},v0=${GOOD.toUpperCase()}`],
  ['by the previous secret', headerOf(NOON, BODY, OLD_SECRET)],
  ['30 minutes old', headerOf(NOON - 30 * MINUTE)],
  ['by a clock 5 minutes ahead', headerOf(NOON + 5 * MINUTE)],
])('[V16] a genuine signature is accepted: %s', async (_, header) => {
  expect(await received({ header })).toMatchObject({ kind: 'verified', event: { kind: 'transcript' } })
})

test.each<[RefusedReason, string, Parameters<typeof received>[0]]>([
  ['no_secret', 'none is set', { secrets: [] }],
  ['no_secret', 'only empty ones are set', { secrets: [''], header: headerOf(NOON, BODY, '') }],
  ['no_signature', 'no header', { header: undefined }],
  ['no_signature', 'an empty header', { header: '' }],
  ['no_signature', 'no time', { header: `v0=${GOOD}` }],
  ['no_signature', 'two times', { header: `t=${T},t=${T},v0=${GOOD}` }],
  ['no_signature', 'a time that is not a number', { header: `t=1e9,v0=${hashOf('1e9', BODY)}` }],
  ['no_signature', 'no hash', { header: `t=${T}` }],
  ['no_signature', 'a truncated hash', { header: `t=${T},v0=${GOOD.slice(0, 63)}` }],
  ['no_signature', 'a hash too many', { header: `t=${T},${`v0=${OTHER},`.repeat(20)}v0=${GOOD}` }],
  ['no_signature', 'the eleventh hash', { header: `t=${T},${`v0=${OTHER},`.repeat(10)}v0=${GOOD}` }],
  ['no_signature', 'a header too long by one', { header: `t=${T},v0=${GOOD},`.padEnd(4_097, 'x') }],
  ['no_signature', 'an endless header', { header: `t=${T},v0=${GOOD},${'x'.repeat(5_000)}` }],
  ['wrong_signature', 'of another body', { header: headerOf(NOON, `${BODY} `) }],
  ['wrong_signature', 'of another time', { header: `t=${T + 1},v0=${GOOD}` }],
  ['wrong_signature', 'by another secret', { header: headerOf(NOON, BODY, 'wsec_made_up_other') }],
  ['wrong_signature', 'by no secret', { header: headerOf(NOON, BODY, '') }],
  ['too_old', 'a second too old', { header: headerOf(NOON - 30 * MINUTE - 1_000) }],
  ['in_the_future', 'a second too new', { header: headerOf(NOON + 5 * MINUTE + 1_000) }],
  ['in_the_future', 'of tomorrow, which the SDK accepts', { header: headerOf(NOON + 1_440 * MINUTE) }],
  ['not_json', 'invalid JSON', { body: '{"type":' }],
  ['not_json', 'bytes that are not text', { body: new Uint8Array([0x22, 0xff, 0x22]) }],
])('[V16] refused as %s: %s', async (reason, _, given) => {
  expect(await received(given)).toEqual({ kind: 'refused', reason })
})

test('[V16] the same delivery is accepted once, even with a different header layout', async () => {
  const seen = memoryClaims()
  const first = await received({ seen })
  expect(first).toMatchObject({ kind: 'verified' })
  expect(await received({ seen })).toEqual(first)
  if (first.kind === 'verified') seen.take(first.key)
  expect(await received({ seen })).toEqual({ kind: 'replayed' })
  expect(await received({ seen, header: `v0=${GOOD.toUpperCase()} , t=${T}` })).toEqual({ kind: 'replayed' })
  expect(await received({ seen, header: `t=${T},v0=${OTHER},v0=${GOOD}` })).toEqual({ kind: 'replayed' })
  expect(await received({ seen, header: headerOf(NOON + 1_000) })).toMatchObject({ kind: 'verified' })
})

test('[V16] a rejected webhook claims no key, so a forger cannot block a genuine one', async () => {
  const seen = memoryClaims()
  expect(await received({ seen, header: headerOf(NOON, `${BODY} `) })).toMatchObject({ kind: 'refused' })
  expect(await received({ seen, body: '{', header: headerOf(NOON, '{') })).toMatchObject({ kind: 'refused' })
  expect(await received({ seen })).toMatchObject({ kind: 'verified' })
})

test('[V16] any changed byte in the body is detected', async () => {
  const header = headerOf(NOON)
  await fc.assert(
    fc.asyncProperty(fc.nat(BODY.length - 1), fc.integer({ min: 1, max: 255 }), async (index, change) => {
      const body = Buffer.from(BODY)
      body[index] = (body[index] ?? 0) ^ change
      expect(await received({ body, header })).toEqual({ kind: 'refused', reason: 'wrong_signature' })
    }),
  )
})

test('[V16] any changed character in the header is rejected', async () => {
  const header = headerOf(NOON)
  await fc.assert(
    fc.asyncProperty(
      fc.nat(header.length - 1),
      fc.string({ minLength: 1, maxLength: 1 }),
      async (index, letter) => {
        const changed = `${header.slice(0, index)}${letter}${header.slice(index + 1)}`
        fc.pre(changed.toLowerCase() !== header.toLowerCase())
        expect(await received({ header: changed })).toMatchObject({ kind: 'refused' })
      },
    ),
    { numRuns: 300 },
  )
})

test('[V16] any header gives a result', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: anyLetter }), async (header) => {
      expect(await received({ header })).toMatchObject({ kind: 'refused' })
    }),
  )
})

test('[V16] accepts every signature that the vendor’s own check accepts', async () => {
  const { ElevenLabsClient } = await import('@elevenlabs/elevenlabs-js')
  const { webhooks } = new ElevenLabsClient({ apiKey: 'made-up-key' })
  const now = Date.now()
  await fc.assert(
    fc.asyncProperty(
      fc.json(),
      fc.integer({ min: -29, max: 4 }),
      fc.boolean(),
      async (body, minutes, isSigned) => {
        const header = headerOf(now + minutes * MINUTE, isSigned ? body : `${body} `)
        const theirs = await webhooks.constructEvent(body, header, SECRET).then(
          () => true,
          () => false,
        )
        const ours = await received({ body, header, now })
        expect(ours.kind === 'verified').toBe(theirs)
        expect(theirs).toBe(isSigned)
      },
    ),
  )
})
