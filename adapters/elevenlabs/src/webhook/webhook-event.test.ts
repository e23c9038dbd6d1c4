import fc from 'fast-check'
import { expect, test } from 'vitest'
import { wireConversation } from '../testing/wire-conversation.ts'
import { eventOf } from './webhook-event.ts'

const event_timestamp = 1_767_268_800
const sentAt = '2026-01-01T12:00:00.000Z'
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

test.each([
  ['a type to come', { type: 'post_call_smell', data: {} }, 'post_call_smell'],
  [
    'a known type in another shape',
    { type: 'post_call_audio', event_timestamp, data: names },
    'post_call_audio',
  ],
  ['no type', { data: 1 }, ''],
  ['no object', [1], ''],
])('[V16] %s is handed on as it came', (_, body, type) => {
  expect(eventOf(body)).toEqual({ kind: 'unknown', type, body })
})

test('[V16] whatever comes, it is told as something', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (body) => {
      expect(eventOf({ type: 'post_call_transcription', event_timestamp, data: body }).kind).toBe('unknown')
    }),
  )
})
