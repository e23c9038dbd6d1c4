import { createRoute } from '@hono/zod-openapi'
import {
  Cancelled,
  IdempotencyKey,
  ListSessions,
  MessagePage,
  ReadEvents,
  ReadMessages,
  SendMessage,
  SessionEvent,
  SessionPage,
  SessionRef,
  SessionView,
  StartSession,
  TurnAccepted,
} from '@parley/contracts'
import { z } from 'zod'
import { json, problems } from './describe.ts'

const body = <S extends z.ZodType>(schema: S) => ({
  required: true,
  content: { 'application/json': { schema } },
})

/** The schema is of one frame's data; its id is the event's number, its name the event's type. */
const EVENT_STREAM = { 'text/event-stream': { schema: SessionEvent } }

export const START = createRoute({
  method: 'post',
  path: '/v1/sessions',
  summary: 'Start a session',
  request: { body: body(StartSession) },
  responses: { 201: json(SessionView, 'The new session'), ...problems },
})

export const LIST = createRoute({
  method: 'get',
  path: '/v1/sessions',
  summary: 'Your sessions, latest first',
  request: { query: ListSessions },
  responses: { 200: json(SessionPage, 'A page of sessions'), ...problems },
})

export const GET = createRoute({
  method: 'get',
  path: '/v1/sessions/{sessionId}',
  summary: 'One session',
  request: { params: SessionRef },
  responses: { 200: json(SessionView, 'The session'), ...problems },
})

export const MESSAGES = createRoute({
  method: 'get',
  path: '/v1/sessions/{sessionId}/messages',
  summary: 'The transcript, a page at a time',
  request: { params: SessionRef, query: ReadMessages },
  responses: { 200: json(MessagePage, 'A page of messages'), ...problems },
})

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
