import fc from 'fast-check'
import { expect, test } from 'vitest'
import { wireConversation } from '../testing/wire-conversation.ts'
import { eventOf as readEvent } from './webhook-event.ts'

const event_timestamp = 1_767_268_800
const sentAt = '2026-01-01T12:00:00.000Z'
const signedAt = 1_767_268_900
const eventOf = (body: unknown) => readEvent(body, signedAt)
const names = { agent_id: 'agent_1', conversation_id: 'conv_1' }

test('[V16] a transcript is told as a conversation that was read is', () => {
  expect(eventOf({ type: 'post_call_transcription', event_timestamp, data: wireConversation })).toMatchObject(
    {
      kind: 'transcript',
      sentAt,
      conversation: {
        conversationId: 'conv_1',
        variables: { reflection_id: 'rfl_1' },
        entries: [{}, {}, { text: 'In Ankara, and...', isInterrupted: true }],
      },
    },
  )
})

const said = { conversation_id: 'conv_1', transcript: [{ role: 'user', message: 'Where?' }] }

test.each<[string, object, object]>([
  [
    'nothing else',
    { data: said },
    { agentId: '', startedAt: '2026-01-01T12:01:40.000Z', durationSeconds: 0 },
  ],
  ['the time that it was told', { event_timestamp, data: said }, { startedAt: sentAt }],
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
])('[V16] a transcript is taken with whose it is, what was said, and %s', (_, body, conversation) => {
  expect(eventOf({ type: 'post_call_transcription', ...body })).toMatchObject({
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

test('[V16] a call has its result, in whatever later entry it stands, as text', () => {
  const transcript = [
    { role: 'agent', message: null, tool_calls: [call('call_1'), call('call_2'), call('call_3')] },
    { role: 'agent', tool_results: [{ request_id: 'call_2', result_value: { evidence: [] } }] },
    { role: 'agent', message: 'In Oslo.', tool_results: [{ request_id: 'call_1', result_value: '[]' }] },
  ]
  const told = eventOf({ type: 'post_call_transcription', data: { ...said, transcript } })
  const calls = told.kind === 'transcript' ? told.conversation.entries[0]?.toolCalls : []
  expect(calls?.map(({ callId, result }) => [callId, result?.text])).toEqual([
    ['call_1', '[]'],
    ['call_2', '{"evidence":[]}'],
    ['call_3', undefined],
  ])
})

test('[V16] audio and calls that failed are told with their conversation', () => {
  const audio = { ...names, full_audio: Buffer.from('mp3').toString('base64') }
  expect(eventOf({ type: 'post_call_audio', event_timestamp, data: audio })).toEqual({
    kind: 'audio',
    sentAt,
    conversationId: 'conv_1',
    agentId: 'agent_1',
    audio: Buffer.from('mp3'),
  })
  const failed = { ...names, failure_reason: 'busy', metadata: { body: {} } }
  expect(eventOf({ type: 'call_initiation_failure', event_timestamp, data: failed })).toEqual({
    kind: 'call_failed',
    sentAt,
    conversationId: 'conv_1',
    agentId: 'agent_1',
    reason: 'busy',
  })
})

test.each<[string, object, string]>([
  ['a type to come', { type: 'post_call_smell', data: {} }, 'post_call_smell'],
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
])('[V16] %s is handed on as it came', (_, body, type) => {
  expect(eventOf(body)).toEqual({ kind: 'unknown', type, body })
})

test('[V16] ids of one character are ids', () => {
  const data = { conversation_id: 'c', agent_id: 'a' }
  expect(eventOf({ type: 'call_initiation_failure', event_timestamp, data })).toMatchObject({
    kind: 'call_failed',
    conversationId: 'c',
    agentId: 'a',
  })
})

test('[V16] whatever comes, it is told as something', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (body) => {
      expect(eventOf({ type: 'post_call_transcription', event_timestamp, data: body }).kind).toBe('unknown')
    }),
  )
})
