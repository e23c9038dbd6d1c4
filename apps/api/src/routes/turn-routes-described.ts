import { createRoute } from '@hono/zod-openapi'
import {
  CallRef,
  Cancelled,
  DecideApproval,
  IdempotencyKey,
  ReadEvents,
  ResumeSession,
  SendMessage,
  SessionEvent,
  SessionRef,
  SessionView,
  TurnAccepted,
} from '@parley/contracts'
import { z } from 'zod'
import { body, json, problems } from './describe.ts'

/** The schema is of one frame's data; its id is the event's number, its name the event's type. */
const EVENT_STREAM = { 'text/event-stream': { schema: SessionEvent } }

export const SEND = createRoute({
  method: 'post',
  path: '/v1/sessions/{sessionId}/messages',
  summary: 'Say something',
  description:
    'The message is stored when this answers. With `Accept: text/event-stream` the turn’s events follow.',
  request: {
    params: SessionRef,
    headers: z.object({ 'idempotency-key': IdempotencyKey.optional() }),
    body: body(SendMessage),
  },
  responses: {
    202: json(TurnAccepted, 'The turn that answers it'),
    200: { description: 'The turn’s events, until it ends', content: EVENT_STREAM },
    ...problems,
  },
})

export const EVENTS = createRoute({
  method: 'get',
  path: '/v1/sessions/{sessionId}/events',
  summary: 'Listen to a session',
  description: `The stored events after \`Last-Event-ID\` (or \`after\`), then new events as they happen.

Text is sent in small \`agent:token\` and \`agent:reasoning\` events. When they are sent again, those of one run of text come joined: one event with the full text of the run, from the number \`fromSequence\` up to its \`sequenceNumber\`. A reader that reconnects in the middle of a run therefore gets text again that it already has. Apply each event by these rules, in order:

1. Ignore an event whose \`sequenceNumber\` you have seen.
2. If \`fromSequence\` (or \`sequenceNumber\`, where it is absent) is more than one above the last number you have seen, an event is missing: reconnect.
3. \`agent:token\` or \`agent:reasoning\` with \`fromSequence\`: remove all that this \`stepId\` said under numbers from \`fromSequence\` on, then add the event's text.
4. \`agent:token\` or \`agent:reasoning\` without \`fromSequence\`: add the event's text.
5. Any other event with \`fromSequence\`: remove all text that was said under numbers from \`fromSequence\` on; it was never stored.
6. \`agent:step_discarded\`: remove all that this \`stepId\` said.`,
  request: {
    params: SessionRef,
    headers: z.object({ 'last-event-id': z.string().optional() }),
    query: ReadEvents,
  },
  responses: { 200: { description: 'The events', content: EVENT_STREAM }, ...problems },
})

export const CANCEL = createRoute({
  method: 'post',
  path: '/v1/sessions/{sessionId}/cancel',
  summary: 'Stop the running turn; what was said is kept',
  request: { params: SessionRef },
  responses: { 202: json(Cancelled, 'Whether a turn was running'), ...problems },
})

export const RESUME = createRoute({
  method: 'post',
  path: '/v1/sessions/{sessionId}/resume',
  summary: 'Take up a session again',
  description:
    'A turn whose process died is ended. With `continue`, the last turn goes on from its last stored step, if it came to no answer; one that met the limit of steps has as many again. A session that has ended is not resumed.',
  request: { params: SessionRef, body: { content: { 'application/json': { schema: ResumeSession } } } },
  responses: {
    200: json(SessionView, 'The session'),
    202: json(TurnAccepted, 'The turn that goes on'),
    ...problems,
  },
})

export const DECIDE = createRoute({
  method: 'post',
  path: '/v1/sessions/{sessionId}/approvals/{callId}',
  summary: 'Allow or refuse a call that waits for a person',
  request: { params: CallRef, body: body(DecideApproval) },
  responses: { 202: json(TurnAccepted, 'The turn that goes on'), ...problems },
})
