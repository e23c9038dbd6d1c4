import { z } from 'zod'
import { CallId, SessionId } from '../ids.ts'
import {
  Cancelled,
  CitationPage,
  DecideApproval,
  ForkSession,
  IdempotencyKey,
  ListSessions,
  MAX_SEQUENCE,
  MessagePage,
  RenameSession,
  ResumeSession,
  SendMessage,
  SessionPage,
  SessionView,
  ShortenedSession,
  TrimSession,
  TurnAccepted,
  TurnPage,
  WaitingApprovals,
} from '../session-bodies.ts'
import { SessionEvent } from '../session-event.ts'
import { SharedReflection, StartVisit } from '../share-link.ts'
import {
  MobileSessionResponse,
  MobileVisitResponse,
  ReconnectSession,
  StartAnySession,
  StartedSession,
  StartedVisit,
  VoiceSessionResponse,
  VoiceVisitResponse,
} from '../start-session.ts'
import { ExportedWorkflow } from '../workflow.ts'
import { jsonBody, defineEndpoints, jsonResponse } from './endpoint.ts'

const SessionRef = z.object({ sessionId: SessionId })
const CallRef = SessionRef.extend({ callId: CallId })
const MediaRef = SessionRef.extend({
  /** As in the handle: `sha256-` and 64 hexadecimal digits. */
  hash: z.string().regex(/^sha256-[0-9a-f]{64}$/),
})
/** Any token is accepted here, so a revoked one gets the same response as an unknown one. */
const ShareTokenRef = z.object({ token: z.string().min(1).max(200) })

const ReadEvents = z.object({ after: z.coerce.number().int().min(0).max(MAX_SEQUENCE).default(0) })
const ReadMessages = ReadEvents.extend({ limit: z.coerce.number().int().min(1).max(500).default(100) })
const ReadCitations = ReadEvents.extend({ limit: z.coerce.number().int().min(1).max(50).default(50) })

/** The schema is that of a frame's data. A frame's id is the event's number, and its name the event's type. */
const EVENT_STREAM = { 'text/event-stream': { schema: SessionEvent } }

const WORKFLOW_FILE = {
  description:
    'A `.relavium.yaml` file: one agent node for each completed turn, the transcript in its metadata',
  content: {
    'application/yaml': { schema: z.string() },
    'application/json': { schema: ExportedWorkflow },
  },
}

/** Only the mobile app gets the provider's conversation id. */
const STARTED_VISIT = z.union([VoiceVisitResponse, MobileVisitResponse, StartedVisit])

export const SESSIONS = defineEndpoints('sessions', {
  startSession: {
    method: 'post',
    path: '/v1/sessions',
    access: 'viewer',
    idempotent: true,
    summary: 'Start a typed or spoken session',
    description:
      'For the channel `voice`, the response says how to connect to the voice provider and which variables to send.',
    request: {
      body: jsonBody(StartAnySession, { channel: 'text', reflectionId: 'rfl_4k2m9q7w1x8z5c3v6b0n' }),
    },
    responses: { 201: jsonResponse(z.union([VoiceSessionResponse, StartedSession]), 'The new session') },
  },
  startMobileSession: {
    method: 'post',
    path: '/v1/mobile/sessions',
    access: 'viewer',
    idempotent: true,
    summary: 'Start a session from the mobile app',
    description:
      'Like `POST /v1/sessions`; for a spoken session the response also has the provider’s id of the conversation.',
    request: {
      body: jsonBody(StartAnySession, { channel: 'text', reflectionId: 'rfl_4k2m9q7w1x8z5c3v6b0n' }),
    },
    responses: { 201: jsonResponse(z.union([MobileSessionResponse, StartedSession]), 'The new session') },
  },
  listSessions: {
    method: 'get',
    path: '/v1/sessions',
    access: 'viewer',
    summary: 'List sessions, latest first',
    description:
      'Your own. With `whose=all`, admins of the server or of a reflection list every session they may read. All filters must match. With `status=failed`: sessions with a reflection that failed to start, each with its error code.',
    request: { query: ListSessions },
    responses: { 200: jsonResponse(SessionPage, 'A page of sessions') },
  },
  getSession: {
    method: 'get',
    path: '/v1/sessions/{sessionId}',
    access: 'guest',
    summary: 'Get a session',
    request: { params: SessionRef },
    responses: { 200: jsonResponse(SessionView, 'The session') },
  },
  renameSession: {
    method: 'patch',
    path: '/v1/sessions/{sessionId}',
    access: 'viewer',
    summary: 'Rename a session',
    request: { params: SessionRef, body: jsonBody(RenameSession, { title: 'About the observatory' }) },
    responses: { 200: jsonResponse(SessionView, 'The session') },
  },
  removeSession: {
    method: 'delete',
    path: '/v1/sessions/{sessionId}',
    access: 'viewer',
    summary: 'Remove a session and everything in it',
    request: { params: SessionRef },
    responses: { 204: { description: 'Removed' } },
  },
  listApprovals: {
    method: 'get',
    path: '/v1/approvals',
    access: 'operator',
    summary: 'List the tool calls that wait for your approval',
    description: 'Oldest first, at most 100; `more` says that there are others.',
    responses: { 200: jsonResponse(WaitingApprovals, 'The waiting calls') },
  },
  listMessages: {
    method: 'get',
    path: '/v1/sessions/{sessionId}/messages',
    access: 'guest',
    summary: 'List the messages of a session',
    request: { params: SessionRef, query: ReadMessages },
    responses: { 200: jsonResponse(MessagePage, 'A page of messages') },
  },
  sendMessage: {
    method: 'post',
    path: '/v1/sessions/{sessionId}/messages',
    access: 'guest',
    summary: 'Send a message',
    description:
      'The message is stored before this responds. With `Accept: text/event-stream` the events of the turn follow.',
    request: {
      params: SessionRef,
      headers: z.object({ 'idempotency-key': IdempotencyKey.optional() }),
      body: jsonBody(SendMessage, { text: 'When was the observatory built?' }),
    },
    responses: {
      202: jsonResponse(TurnAccepted, 'The turn that answers the message', {
        turnId: 'trn_4k2m9q7w1x8z5c3v6b0n',
      }),
      200: { description: 'The turn’s events, until it ends', content: EVENT_STREAM },
    },
  },
  listCitations: {
    method: 'get',
    path: '/v1/sessions/{sessionId}/citations',
    access: 'guest',
    summary: 'List the lookups of a session with a reflection, in order',
    description:
      'Each with the evidence it found, as far as it still exists and you may still see it. A session off the record has none.',
    request: { params: SessionRef, query: ReadCitations },
    responses: { 200: jsonResponse(CitationPage, 'A page of citations') },
  },
  getMedia: {
    method: 'get',
    path: '/v1/sessions/{sessionId}/media/{hash}',
    access: 'guest',
    summary: 'Get the bytes of a media handle in a message',
    request: { params: MediaRef },
    responses: {
      200: { description: 'The bytes', content: { 'application/octet-stream': { schema: z.string() } } },
    },
  },
  streamEvents: {
    method: 'get',
    path: '/v1/sessions/{sessionId}/events',
    access: 'guest',
    summary: 'Stream the events of a session',
    description: `The stored events after \`Last-Event-ID\` (or \`after\`), then new events as they happen.

Text is sent in small \`agent:token\` and \`agent:reasoning\` events. When they are sent again, each run of text comes as one event with its full text. That event covers the numbers from \`fromSequence\` to \`sequenceNumber\`. A reader that reconnects within a run therefore gets some text twice. Apply each event by these rules, in order:

1. Ignore an event whose \`sequenceNumber\` you have seen.
2. If \`fromSequence\` (\`sequenceNumber\` if absent) is more than one above the last number that you have seen, an event is missing: reconnect.
3. \`agent:token\` or \`agent:reasoning\` with \`fromSequence\`: remove the text of this \`stepId\` with numbers from \`fromSequence\` on, then add the event's text.
4. \`agent:token\` or \`agent:reasoning\` without \`fromSequence\`: add the event's text.
5. Any other event with \`fromSequence\`: remove all text with numbers from \`fromSequence\` on; it was never stored.
6. \`agent:step_discarded\`: remove all text of this \`stepId\`.`,
    request: {
      params: SessionRef,
      headers: z.object({ 'last-event-id': z.string().optional() }),
      query: ReadEvents,
    },
    responses: { 200: { description: 'The events', content: EVENT_STREAM } },
  },
  listTurns: {
    method: 'get',
    path: '/v1/sessions/{sessionId}/turns',
    access: 'viewer',
    summary: 'List the turns of a session',
    description:
      'Times, tokens, costs and approval decisions, in whole turns. `after` is the number of an event.',
    request: { params: SessionRef, query: ReadEvents },
    responses: { 200: jsonResponse(TurnPage, 'A page of turns') },
  },
  readExport: {
    method: 'get',
    path: '/v1/sessions/{sessionId}/export',
    access: 'viewer',
    summary: 'Get the session as a workflow file',
    description: 'With `Accept: application/json` the response has the file and its parsed content.',
    request: { params: SessionRef },
    responses: { 200: WORKFLOW_FILE },
  },
  exportSession: {
    method: 'post',
    path: '/v1/sessions/{sessionId}/export',
    access: 'viewer',
    summary: 'Export the session as a workflow file, and record the export in its events',
    request: { params: SessionRef },
    responses: { 200: WORKFLOW_FILE },
  },
  cancelTurn: {
    method: 'post',
    path: '/v1/sessions/{sessionId}/cancel',
    access: 'guest',
    summary: 'Cancel the running turn and keep its text so far',
    request: { params: SessionRef },
    responses: { 202: jsonResponse(Cancelled, 'Whether a turn was running') },
  },
  resumeSession: {
    method: 'post',
    path: '/v1/sessions/{sessionId}/resume',
    access: 'viewer',
    summary: 'Resume a session',
    description:
      'Ends a turn whose process died. With `continue`, the last turn continues from its last stored step if it has no answer yet; a turn that reached its step limit gets the same number of steps again. An ended session cannot be resumed.',
    request: { params: SessionRef, body: jsonBody(ResumeSession) },
    responses: {
      200: jsonResponse(SessionView, 'The session'),
      202: jsonResponse(TurnAccepted, 'The continued turn'),
    },
  },
  reconnectSession: {
    method: 'post',
    path: '/v1/sessions/{sessionId}/reconnect',
    access: 'guest',
    summary: 'Get a new credential for a running call',
    description: 'A credential works for one connection. The new one replaces the previous one.',
    request: { params: SessionRef, body: jsonBody(ReconnectSession) },
    responses: { 200: jsonResponse(VoiceSessionResponse, 'How to connect') },
  },
  reconnectMobileSession: {
    method: 'post',
    path: '/v1/mobile/sessions/{sessionId}/reconnect',
    access: 'guest',
    summary: 'Get a new credential for a running call, from the mobile app',
    request: { params: SessionRef, body: jsonBody(ReconnectSession) },
    responses: { 200: jsonResponse(MobileSessionResponse, 'How to connect') },
  },
  endSession: {
    method: 'post',
    path: '/v1/sessions/{sessionId}/end',
    access: 'guest',
    summary: 'End a session',
    description: 'It stays readable; no more messages are accepted.',
    request: { params: SessionRef },
    responses: { 200: jsonResponse(SessionView, 'The session') },
  },
  forkSession: {
    method: 'post',
    path: '/v1/sessions/{sessionId}/fork',
    access: 'viewer',
    idempotent: true,
    summary: 'Start a new session with the same history',
    description:
      'Another agent answers if the body names one by `agentId` or, for the owner, contains one as `agent`. Otherwise the new session keeps the agent of the old one.',
    request: { params: SessionRef, body: jsonBody(ForkSession) },
    responses: { 201: jsonResponse(SessionView, 'The new session') },
  },
  compactSession: {
    method: 'post',
    path: '/v1/sessions/{sessionId}/compact',
    access: 'viewer',
    summary: 'Replace older messages by a summary, for the model',
    description:
      'Every message stays in the transcript. The model of the session writes the summary, which costs.',
    request: { params: SessionRef },
    responses: { 200: jsonResponse(ShortenedSession, 'How many messages the model receives') },
  },
  trimSession: {
    method: 'post',
    path: '/v1/sessions/{sessionId}/trim',
    access: 'viewer',
    summary: 'Send only the last messages to the model',
    description: 'Every message stays in the transcript.',
    request: { params: SessionRef, body: jsonBody(TrimSession) },
    responses: { 200: jsonResponse(ShortenedSession, 'How many messages the model receives') },
  },
  decideApproval: {
    method: 'post',
    path: '/v1/sessions/{sessionId}/approvals/{callId}',
    access: 'operator',
    summary: 'Approve or reject a tool call that waits for approval',
    request: { params: CallRef, body: jsonBody(DecideApproval, { decision: 'allow' }) },
    responses: { 202: jsonResponse(TurnAccepted, 'The continued turn') },
  },
})

export const VISITS = defineEndpoints('visits', {
  getSharedReflection: {
    method: 'get',
    path: '/v1/r/{token}',
    access: 'anyone',
    rateLimit: 'readLink',
    summary: 'Get the reflection behind a share link',
    request: { params: ShareTokenRef },
    responses: { 200: jsonResponse(SharedReflection, 'The reflection, and how to talk with it') },
  },
  visitReflection: {
    method: 'post',
    path: '/v1/r/{token}/sessions',
    access: 'anyone',
    rateLimit: 'visitLink',
    idempotent: true,
    summary: 'Start a session through a share link, without a token',
    description:
      'The `token` of the response is valid for this session while it is active. The console also gets a cookie for it, and sends `x-parley-as: visitor`.',
    request: { params: ShareTokenRef, body: jsonBody(StartVisit, { channel: 'text' }) },
    responses: { 201: jsonResponse(STARTED_VISIT, 'The session') },
  },
  getMobileSharedReflection: {
    method: 'get',
    path: '/v1/mobile/r/{token}',
    access: 'anyone',
    rateLimit: 'readLink',
    summary: 'Get the reflection behind a share link, from the mobile app',
    request: { params: ShareTokenRef },
    responses: { 200: jsonResponse(SharedReflection, 'The reflection, and how to talk with it') },
  },
  visitMobileReflection: {
    method: 'post',
    path: '/v1/mobile/r/{token}/sessions',
    access: 'anyone',
    rateLimit: 'visitLink',
    idempotent: true,
    summary: 'Start a session through a share link, from the mobile app',
    request: { params: ShareTokenRef, body: jsonBody(StartVisit, { channel: 'text' }) },
    responses: { 201: jsonResponse(STARTED_VISIT, 'The session') },
  },
})
