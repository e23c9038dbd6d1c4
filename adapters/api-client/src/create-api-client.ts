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
import { type ApiConnection, type Keyed, requestJson, toSessionPath, toQuery, request } from './request.ts'

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
  const api: ApiConnection = {
    baseUrl,
    token,
    as,
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
  }
  return {
    ...createAccountClient(api),
    health: createHealthClient(api),
    tokens: createTokensClient(api),
    reflections: createReflectionsClient(api),
    visits: createVisitsClient(api),
    sessions: createSessionsClient(api, timing),
  }
}

const createAccountClient = (api: ApiConnection) => ({
  me: () => requestJson<Me>(api, Me, 'GET', '/v1/me'),
  /** For pages: sets the sign-in cookie. */
  signIn: (secret: string) => requestJson<Me>(api, Me, 'POST', '/v1/sign-in', { body: { token: secret } }),
  signOut: async () => void (await request(api, 'DELETE', '/v1/sign-in', {})),
  mySettings: {
    get: () => requestJson<MySettings>(api, MySettings, 'GET', '/v1/me/settings'),
    set: (body: MySettings) => requestJson<MySettings>(api, MySettings, 'PUT', '/v1/me/settings', { body }),
  },
  /** Voices available to reflections; empty without a voice provider. */
  voices: async () => (await requestJson(api, ProviderVoices, 'GET', '/v1/voices')).items,
})

interface HealthClient extends ReturnType<typeof createHealthClient> {}

/** For server admins. */
const createHealthClient = (api: ApiConnection) => ({
  get: (range: HealthRange) => requestJson<Health>(api, Health, 'GET', `/v1/health${toQuery({ range })}`),
  /** Checks a provider with a free request. */
  probe: (body: ProbeProvider) =>
    requestJson<ProviderHealth>(api, ProviderHealth, 'POST', '/v1/health/probe', { body }),
  /** Queues a failed job again, once. */
  retryJob: (jobId: string) =>
    requestJson<JobRetried>(api, JobRetried, 'POST', `/v1/health/jobs/${encodeURIComponent(jobId)}/retry`),
})

interface TokensClient extends ReturnType<typeof createTokensClient> {}

const createTokensClient = (api: ApiConnection) => ({
  /** For a new person; the token is returned only once. */
  create: ({ idempotencyKey, ...body }: CreateToken & Keyed) =>
    requestJson(api, CreatedToken, 'POST', '/v1/tokens', { body, idempotencyKey }),
  /** Active tokens of your rank and below, latest first; a person may have several. */
  list: (page: { limit?: number; cursor?: string } = {}) =>
    requestJson(api, TokenPage, 'GET', `/v1/tokens${toQuery(page)}`),
  revoke: async (tokenId: string) =>
    void (await request(api, 'DELETE', `/v1/tokens/${encodeURIComponent(tokenId)}`, {})),
})

interface SessionParams {
  readonly sessionId: SessionId
}

/** WebSocket is the server's default transport. */
export type SpeakWith = Pick<StartVoiceSession, 'reflectionId'> &
  Partial<Pick<StartVoiceSession, 'agentType' | 'offRecord' | 'title'>>

interface SessionsClient extends ReturnType<typeof createSessionsClient> {}

const createSessionsClient = (api: ApiConnection, timing: Partial<StreamTiming> | undefined) => ({
  start: ({ idempotencyKey, ...opening }: Partial<StartSession> & Keyed = {}) =>
    requestJson<StartedSession>(api, StartedSession, 'POST', '/v1/sessions', {
      body: { channel: 'text', ...opening },
      idempotencyKey,
    }),
  /** Starts a voice session with a reflection; returns how to connect. */
  speak: ({ idempotencyKey, ...opening }: SpeakWith & Keyed) =>
    requestJson<VoiceSessionResponse>(api, VoiceSessionResponse, 'POST', '/v1/sessions', {
      body: { channel: 'voice', ...opening },
      idempotencyKey,
    }),
  /** New credentials for a running call; each works for one connection. */
  reconnect: (sessionId: SessionId) =>
    requestJson<VoiceSessionResponse>(
      api,
      VoiceSessionResponse,
      'POST',
      `${toSessionPath(sessionId)}/reconnect`,
      {
        body: {},
      },
    ),
  /** The session's citations in order, with the evidence that still exists. */
  citations: ({ sessionId, ...range }: SessionParams & { after?: number; limit?: number }) =>
    requestJson(api, CitationPage, 'GET', `${toSessionPath(sessionId)}/citations${toQuery(range)}`),
  /** Latest first; all given filters apply. */
  list: (query: Partial<ListSessions> = {}) =>
    requestJson<SessionPage>(api, SessionPage, 'GET', `/v1/sessions${toQuery(query)}`),
  /** Tool calls waiting for approval in sessions that you may decide in. */
  approvals: () => requestJson<WaitingApprovals>(api, WaitingApprovals, 'GET', '/v1/approvals'),
  get: (sessionId: SessionId) => requestJson<SessionView>(api, SessionView, 'GET', toSessionPath(sessionId)),
  rename: ({ sessionId, ...body }: RenameSession & SessionParams) =>
    requestJson<SessionView>(api, SessionView, 'PATCH', toSessionPath(sessionId), { body }),
  /** Ends the session; it stays readable. */
  end: (sessionId: SessionId) =>
    requestJson<SessionView>(api, SessionView, 'POST', `${toSessionPath(sessionId)}/end`),
  /** Deletes the session with all its data. */
  remove: async (sessionId: SessionId) => void (await request(api, 'DELETE', toSessionPath(sessionId), {})),
  /** A new session with the same history, optionally with another agent. */
  fork: ({ sessionId, idempotencyKey, ...body }: ForkSession & SessionParams & Keyed) =>
    requestJson<SessionView>(api, SessionView, 'POST', `${toSessionPath(sessionId)}/fork`, {
      body,
      idempotencyKey,
    }),
  messages: ({ sessionId, ...range }: SessionParams & { after?: number; limit?: number }) =>
    requestJson(api, MessagePage, 'GET', `${toSessionPath(sessionId)}/messages${toQuery(range)}`),
  /** Times, tokens, costs and decisions of the turns after the event `after`. */
  turns: ({ sessionId, ...range }: SessionParams & { after?: number }) =>
    requestJson<TurnPage>(api, TurnPage, 'GET', `${toSessionPath(sessionId)}/turns${toQuery(range)}`),
  /** As a workflow: the file and its content. */
  exported: (sessionId: SessionId) =>
    requestJson<ExportedWorkflow>(
      api,
      ExportedWorkflow,
      'GET',
      `${toSessionPath(sessionId)}/export`,
      AS_JSON,
    ),
  /** The same, and records the export in the session. */
  export: (sessionId: SessionId) =>
    requestJson<ExportedWorkflow>(
      api,
      ExportedWorkflow,
      'POST',
      `${toSessionPath(sessionId)}/export`,
      AS_JSON,
    ),
  /** The bytes of a media handle in the session. */
  media: async ({ sessionId, handle }: SessionParams & { handle: MediaHandle }) => {
    const path = `${toSessionPath(sessionId)}/media/${handle.replace('media://', '')}`
    const response = await request(api, 'GET', path, {})
    const mediaType = response.headers.get('content-type') ?? 'application/octet-stream'
    return { mediaType, bytes: new Uint8Array(await response.arrayBuffer()) }
  },
  /** Idempotent by its key. */
  send: ({ sessionId, text, idempotencyKey }: SendMessage & SessionParams & { idempotencyKey: string }) =>
    requestJson(api, TurnAccepted, 'POST', `${toSessionPath(sessionId)}/messages`, {
      body: { text },
      idempotencyKey,
    }),
  /** The session after ending a turn whose process died. */
  resume: (sessionId: SessionId) =>
    requestJson<SessionView>(api, SessionView, 'POST', `${toSessionPath(sessionId)}/resume`, {
      body: {} satisfies ResumeSession,
    }),
  /** Continues the last turn if it has no answer. */
  continue: (sessionId: SessionId) =>
    requestJson(api, TurnAccepted, 'POST', `${toSessionPath(sessionId)}/resume`, {
      body: { continue: true } satisfies ResumeSession,
    }),
  /** Decides on a waiting tool call; the turn continues. */
  decide: ({ sessionId, callId, ...body }: DecideApproval & SessionParams & { callId: CallId }) =>
    requestJson(
      api,
      TurnAccepted,
      'POST',
      `${toSessionPath(sessionId)}/approvals/${encodeURIComponent(callId)}`,
      { body },
    ),
  cancel: (sessionId: SessionId) =>
    requestJson<Cancelled>(api, Cancelled, 'POST', `${toSessionPath(sessionId)}/cancel`),
  /** Every event after `after`, exactly once, across reconnects; ends when the signal is aborted. */
  events: (reading: EventReading) => readSessionEvents(reading, api, timing),
})

const AS_JSON = { headers: { accept: 'application/json' } }

/** The session token is for clients without cookies. */
const StartedVisit = VoiceSessionResponse.strip()

interface VisitsClient extends ReturnType<typeof createVisitsClient> {}

/** Calls for people with a share link. In a page, a session cookie identifies them afterwards. */
const createVisitsClient = (api: ApiConnection) => ({
  /** The reflection behind the link. */
  getSharedReflection: (linkToken: string) =>
    requestJson<SharedReflection>(api, SharedReflection, 'GET', toLinkPath(linkToken)),
  /** Starts a text session. A key opens the same session again, so it must be random. */
  start: (linkToken: string, keyed?: Keyed) =>
    requestJson<StartedSession>(api, StartedSession, 'POST', `${toLinkPath(linkToken)}/sessions`, {
      body: { channel: 'text' },
      ...keyed,
    }),
  /** Starts a voice session over a WebSocket. */
  speak: (linkToken: string, keyed?: Keyed) =>
    requestJson(api, StartedVisit, 'POST', `${toLinkPath(linkToken)}/sessions`, {
      body: { channel: 'voice' },
      ...keyed,
    }),
})

const toLinkPath = (linkToken: string) => `/v1/r/${encodeURIComponent(linkToken)}`
