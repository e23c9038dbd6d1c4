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
  description: 'What was stored after `Last-Event-ID` (or `after`), then what comes.',
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
