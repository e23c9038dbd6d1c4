import {
  type CallId,
  Cancelled,
  CitationPage,
  type CreateToken,
  CreatedToken,
  type DecideApproval,
  ExportedWorkflow,
  type ForkSession,
  Health,
  type HealthRange,
  JobRetried,
  type ListSessions,
  Me,
  type MediaHandle,
  MessagePage,
  MySettings,
  type ProbeProvider,
  ProviderHealth,
  ProviderVoices,
  type RenameSession,
  type ResumeSession,
  type SendMessage,
  type SessionId,
  SessionPage,
  SessionView,
  SharedReflection,
  type StartSession,
  type StartVoiceSession,
  StartedSession,
  TokenPage,
  TurnAccepted,
  TurnPage,
  VoiceSessionResponse,
  WaitingApprovals,
} from '@parley/contracts'
import { type EventReading, type StreamTiming, readSessionEvents } from './read-session-events.ts'
import { type ReflectionsClient, createReflectionsClient } from './reflections/reflections-client.ts'
import { type Api, type Keyed, ask, pathOf, queryOf, request } from './request.ts'

export interface ApiClientOptions {
  /** The server's URL without a trailing slash; empty in a page served by it. */
  readonly baseUrl: string
  /** Absent in a page, which uses its cookie. */
  readonly token?: string
  /** For visitor pages: ignores a signed-in person's cookie. */
  readonly as?: 'visitor'
  readonly fetch?: typeof fetch
  readonly timing?: Partial<StreamTiming>
}

/** Every call throws a `PlatformError` with the problem's code, and its detail as the message. */
export interface ApiClient extends ReturnType<typeof createAccountClient> {
  readonly health: HealthClient
  readonly tokens: TokensClient
  readonly reflections: ReflectionsClient
  readonly visits: VisitsClient
  readonly sessions: SessionsClient
}

export function createApiClient({ baseUrl, token, as, timing, ...options }: ApiClientOptions): ApiClient {
  // A browser's fetch must not be called as a method of another object.
  const api: Api = { baseUrl, token, as, fetch: options.fetch ?? ((input, init) => fetch(input, init)) }
  return {
    ...createAccountClient(api),
    health: createHealthClient(api),
    tokens: createTokensClient(api),
    reflections: createReflectionsClient(api),
    visits: createVisitsClient(api),
    sessions: createSessionsClient(api, timing),
  }
}

const createAccountClient = (api: Api) => ({
  me: () => ask<Me>(api, Me, 'GET', '/v1/me'),
  /** For pages: sets the sign-in cookie. */
  signIn: (secret: string) => ask<Me>(api, Me, 'POST', '/v1/sign-in', { body: { token: secret } }),
  signOut: async () => void (await request(api, 'DELETE', '/v1/sign-in', {})),
  mySettings: {
    get: () => ask<MySettings>(api, MySettings, 'GET', '/v1/me/settings'),
    set: (body: MySettings) => ask<MySettings>(api, MySettings, 'PUT', '/v1/me/settings', { body }),
  },
  /** Voices available to reflections; empty without a voice provider. */
  voices: async () => (await ask(api, ProviderVoices, 'GET', '/v1/voices')).items,
})

interface HealthClient extends ReturnType<typeof createHealthClient> {}

/** For server admins. */
const createHealthClient = (api: Api) => ({
  get: (range: HealthRange) => ask<Health>(api, Health, 'GET', `/v1/health${queryOf({ range })}`),
  /** Checks a provider with a free request. */
  probe: (body: ProbeProvider) =>
    ask<ProviderHealth>(api, ProviderHealth, 'POST', '/v1/health/probe', { body }),
  /** Queues a failed job again, once. */
  retryJob: (jobId: string) =>
    ask<JobRetried>(api, JobRetried, 'POST', `/v1/health/jobs/${encodeURIComponent(jobId)}/retry`),
})

interface TokensClient extends ReturnType<typeof createTokensClient> {}

const createTokensClient = (api: Api) => ({
  /** For a new person; the token is returned only once. */
  create: ({ idempotencyKey, ...body }: CreateToken & Keyed) =>
    ask(api, CreatedToken, 'POST', '/v1/tokens', { body, idempotencyKey }),
  /** Active tokens of your rank and below, latest first; a person may have several. */
  list: (page: { limit?: number; cursor?: string } = {}) =>
    ask(api, TokenPage, 'GET', `/v1/tokens${queryOf(page)}`),
  revoke: async (tokenId: string) =>
    void (await request(api, 'DELETE', `/v1/tokens/${encodeURIComponent(tokenId)}`, {})),
})

interface OfSession {
  readonly sessionId: SessionId
}

/** WebSocket is the server's default transport. */
export type SpeakWith = Pick<StartVoiceSession, 'reflectionId'> &
  Partial<Pick<StartVoiceSession, 'agentType' | 'offRecord' | 'title'>>

interface SessionsClient extends ReturnType<typeof createSessionsClient> {}

const createSessionsClient = (api: Api, timing: Partial<StreamTiming> | undefined) => ({
  start: ({ idempotencyKey, ...opening }: Partial<StartSession> & Keyed = {}) =>
    ask<StartedSession>(api, StartedSession, 'POST', '/v1/sessions', {
      body: { channel: 'text', ...opening },
      idempotencyKey,
    }),
  /** Starts a voice session with a reflection; returns how to connect. */
  speak: ({ idempotencyKey, ...opening }: SpeakWith & Keyed) =>
    ask<VoiceSessionResponse>(api, VoiceSessionResponse, 'POST', '/v1/sessions', {
      body: { channel: 'voice', ...opening },
      idempotencyKey,
    }),
  /** New credentials for a running call; each works for one connection. */
  reconnect: (sessionId: SessionId) =>
    ask<VoiceSessionResponse>(api, VoiceSessionResponse, 'POST', `${pathOf(sessionId)}/reconnect`, {
      body: {},
    }),
  /** The session's citations in order, with the evidence that still exists. */
  citations: ({ sessionId, ...range }: OfSession & { after?: number; limit?: number }) =>
    ask(api, CitationPage, 'GET', `${pathOf(sessionId)}/citations${queryOf(range)}`),
  /** Latest first; all given filters apply. */
  list: (query: Partial<ListSessions> = {}) =>
    ask<SessionPage>(api, SessionPage, 'GET', `/v1/sessions${queryOf(query)}`),
  /** Tool calls waiting for approval in sessions that you may decide in. */
  approvals: () => ask<WaitingApprovals>(api, WaitingApprovals, 'GET', '/v1/approvals'),
  get: (sessionId: SessionId) => ask<SessionView>(api, SessionView, 'GET', pathOf(sessionId)),
  rename: ({ sessionId, ...body }: RenameSession & OfSession) =>
    ask<SessionView>(api, SessionView, 'PATCH', pathOf(sessionId), { body }),
  /** Ends the session; it stays readable. */
  end: (sessionId: SessionId) => ask<SessionView>(api, SessionView, 'POST', `${pathOf(sessionId)}/end`),
  /** Deletes the session with all its data. */
  remove: async (sessionId: SessionId) => void (await request(api, 'DELETE', pathOf(sessionId), {})),
  /** A new session with the same history, optionally with another agent. */
  fork: ({ sessionId, idempotencyKey, ...body }: ForkSession & OfSession & Keyed) =>
    ask<SessionView>(api, SessionView, 'POST', `${pathOf(sessionId)}/fork`, { body, idempotencyKey }),
  messages: ({ sessionId, ...range }: OfSession & { after?: number; limit?: number }) =>
    ask(api, MessagePage, 'GET', `${pathOf(sessionId)}/messages${queryOf(range)}`),
  /** Times, tokens, costs and decisions of the turns after the event `after`. */
  turns: ({ sessionId, ...range }: OfSession & { after?: number }) =>
    ask<TurnPage>(api, TurnPage, 'GET', `${pathOf(sessionId)}/turns${queryOf(range)}`),
  /** As a workflow: the file and its content. */
  exported: (sessionId: SessionId) =>
    ask<ExportedWorkflow>(api, ExportedWorkflow, 'GET', `${pathOf(sessionId)}/export`, AS_JSON),
  /** The same, and records the export in the session. */
  export: (sessionId: SessionId) =>
    ask<ExportedWorkflow>(api, ExportedWorkflow, 'POST', `${pathOf(sessionId)}/export`, AS_JSON),
  /** The bytes of a media handle in the session. */
  media: async ({ sessionId, handle }: OfSession & { handle: MediaHandle }) => {
    const path = `${pathOf(sessionId)}/media/${handle.replace('media://', '')}`
    const response = await request(api, 'GET', path, {})
    const mediaType = response.headers.get('content-type') ?? 'application/octet-stream'
    return { mediaType, bytes: new Uint8Array(await response.arrayBuffer()) }
  },
  /** Idempotent by its key. */
  send: ({ sessionId, text, idempotencyKey }: SendMessage & OfSession & { idempotencyKey: string }) =>
    ask(api, TurnAccepted, 'POST', `${pathOf(sessionId)}/messages`, {
      body: { text },
      idempotencyKey,
    }),
  /** The session after ending a turn whose process died. */
  resume: (sessionId: SessionId) =>
    ask<SessionView>(api, SessionView, 'POST', `${pathOf(sessionId)}/resume`, {
      body: {} satisfies ResumeSession,
    }),
  /** Continues the last turn if it has no answer. */
  continue: (sessionId: SessionId) =>
    ask(api, TurnAccepted, 'POST', `${pathOf(sessionId)}/resume`, {
      body: { continue: true } satisfies ResumeSession,
    }),
  /** Decides on a waiting tool call; the turn continues. */
  decide: ({ sessionId, callId, ...body }: DecideApproval & OfSession & { callId: CallId }) =>
    ask(api, TurnAccepted, 'POST', `${pathOf(sessionId)}/approvals/${encodeURIComponent(callId)}`, { body }),
  cancel: (sessionId: SessionId) => ask<Cancelled>(api, Cancelled, 'POST', `${pathOf(sessionId)}/cancel`),
  /** Every event after `after`, exactly once, across reconnects; ends when the signal is aborted. */
  events: (reading: EventReading) => readSessionEvents(reading, api, timing),
})

const AS_JSON = { headers: { accept: 'application/json' } }

/** The session token is for clients without cookies. */
const StartedVisit = VoiceSessionResponse.strip()

interface VisitsClient extends ReturnType<typeof createVisitsClient> {}

/** Calls for people with a share link. In a page, a session cookie identifies them afterwards. */
const createVisitsClient = (api: Api) => ({
  /** The reflection behind the link. */
  look: (linkToken: string) => ask<SharedReflection>(api, SharedReflection, 'GET', linkPath(linkToken)),
  /** Starts a text session. A key opens the same session again, so it must be random. */
  start: (linkToken: string, keyed?: Keyed) =>
    ask<StartedSession>(api, StartedSession, 'POST', `${linkPath(linkToken)}/sessions`, {
      body: { channel: 'text' },
      ...keyed,
    }),
  /** Starts a voice session over a WebSocket. */
  speak: (linkToken: string, keyed?: Keyed) =>
    ask(api, StartedVisit, 'POST', `${linkPath(linkToken)}/sessions`, {
      body: { channel: 'voice' },
      ...keyed,
    }),
})

const linkPath = (linkToken: string) => `/v1/r/${encodeURIComponent(linkToken)}`
