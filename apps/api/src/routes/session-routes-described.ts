import { createRoute } from '@hono/zod-openapi'
import {
  ForkSession,
  MediaRef,
  MessagePage,
  ReadMessages,
  RenameSession,
  SessionRef,
  SessionView,
  StartedSession,
  ShortenedSession,
  StartAnySession,
  TrimSession,
  VoiceSessionResponse,
} from '@parley/contracts'
import { z } from 'zod'
import { body, json, problems } from './describe.ts'

export const START = createRoute({
  method: 'post',
  path: '/v1/sessions',
  summary: 'Start a session, spoken or typed',
  description:
    'With the channel `voice` the answer says how to connect to the voice provider, and which variables to hand it.',
  request: { body: body(StartAnySession) },
  responses: { 201: json(z.union([VoiceSessionResponse, StartedSession]), 'The new session'), ...problems },
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

export const MEDIA = createRoute({
  method: 'get',
  path: '/v1/sessions/{sessionId}/media/{hash}',
  summary: 'What a message names by a handle',
  request: { params: MediaRef },
  responses: {
    200: { description: 'The bytes', content: { 'application/octet-stream': { schema: z.string() } } },
    ...problems,
  },
})

export const RENAME = createRoute({
  method: 'patch',
  path: '/v1/sessions/{sessionId}',
  summary: 'Give a session another title',
  request: { params: SessionRef, body: body(RenameSession) },
  responses: { 200: json(SessionView, 'The session'), ...problems },
})

export const REMOVE = createRoute({
  method: 'delete',
  path: '/v1/sessions/{sessionId}',
  summary: 'Remove a session with all that it holds',
  request: { params: SessionRef },
  responses: { 204: { description: 'It is gone' }, ...problems },
})

export const END = createRoute({
  method: 'post',
  path: '/v1/sessions/{sessionId}/end',
  summary: 'End a session: it can be read, but nothing more is said in it',
  request: { params: SessionRef },
  responses: { 200: json(SessionView, 'The session'), ...problems },
})

export const COMPACT = createRoute({
  method: 'post',
  path: '/v1/sessions/{sessionId}/compact',
  summary: 'Put a summary in place of older messages, for the model',
  description:
    'Every message stays in the transcript. The model that answers writes the summary, which costs.',
  request: { params: SessionRef },
  responses: { 200: json(ShortenedSession, 'How many messages the model is given'), ...problems },
})

export const TRIM = createRoute({
  method: 'post',
  path: '/v1/sessions/{sessionId}/trim',
  summary: 'Leave out all but the last messages, for the model',
  description: 'Every message stays in the transcript.',
  request: { params: SessionRef, body: body(TrimSession) },
  responses: { 200: json(ShortenedSession, 'How many messages the model is given'), ...problems },
})

export const FORK = createRoute({
  method: 'post',
  path: '/v1/sessions/{sessionId}/fork',
  summary: 'A new session with the same past',
  description:
    'Another agent answers in it if the body names one by `agentId` or, for the owner, sends one as `agent`. ' +
    'Without either, or without a body, it keeps the agent of the session as it was frozen there.',
  request: { params: SessionRef, body: { ...body(ForkSession), required: false } },
  responses: { 201: json(SessionView, 'The new session'), ...problems },
})
