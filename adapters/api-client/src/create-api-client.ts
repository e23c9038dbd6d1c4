import {
  Cancelled,
  CitationPage,
  CreatedToken,
  type EndpointInput,
  ExportedWorkflow,
  Health,
  type HealthRange,
  JobRetried,
  type Keyed,
  Me,
  type MediaHandle,
  MessagePage,
  MySettings,
  ProviderHealth,
  ProviderVoices,
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
import { type CreateCall, bindCalls, callEndpoint } from './call-endpoint.ts'
import { type EventReading, type StreamTiming, readSessionEvents } from './read-session-events.ts'
import { type ReflectionsClient, createReflectionsClient } from './reflections/reflections-client.ts'
import type { ApiConnection } from './request.ts'

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
  const call = bindCalls(api)
  return {
    ...createAccountClient(call),
    health: createHealthClient(call),
    tokens: createTokensClient(call),
    reflections: createReflectionsClient(call),
    visits: createVisitsClient(call),
    sessions: createSessionsClient(api, call, timing),
  }
}

const createAccountClient = (call: CreateCall) => ({
  me: call('GET /v1/me', Me),
  /** For pages: sets the sign-in cookie. */
  signIn: (token: string) => call('POST /v1/sign-in', Me)({ token }),
  signOut: call('DELETE /v1/sign-in'),
  mySettings: {
    get: call('GET /v1/me/settings', MySettings),
    set: call('PUT /v1/me/settings', MySettings),
  },
  /** Voices available to reflections; empty without a voice provider. */
  voices: async () => (await call('GET /v1/voices', ProviderVoices)()).items,
})

interface HealthClient extends ReturnType<typeof createHealthClient> {}

/** For server admins. */
const createHealthClient = (call: CreateCall) => ({
  get: (range: HealthRange) => call('GET /v1/health', Health)({ range }),
  /** Checks a provider with a free request. */
  probe: call('POST /v1/health/probe', ProviderHealth),
  /** Queues a failed job again, once. */
  retryJob: (jobId: string) => call('POST /v1/health/jobs/{jobId}/retry', JobRetried)({ jobId }),
})

interface TokensClient extends ReturnType<typeof createTokensClient> {}

const createTokensClient = (call: CreateCall) => ({
  /** For a new person; the token is returned only once. */
  create: call('POST /v1/tokens', CreatedToken),
  /** Active tokens of your rank and below, latest first; a person may have several. */
  list: call('GET /v1/tokens', TokenPage),
  revoke: (tokenId: string) => call('DELETE /v1/tokens/{tokenId}')({ tokenId }),
})

interface SessionParams {
  readonly sessionId: SessionId
}

/** WebSocket is the server's default transport. */
export type SpeakWith = Pick<StartVoiceSession, 'reflectionId'> &
  Partial<Pick<StartVoiceSession, 'agentType' | 'offRecord' | 'title'>>

interface SessionsClient extends ReturnType<typeof createSessionsClient> {}

const createSessionsClient = (
  api: ApiConnection,
  call: CreateCall,
  timing: Partial<StreamTiming> | undefined,
) => ({
  start: (opening: Partial<StartSession> & Keyed = {}) =>
    call('POST /v1/sessions', StartedSession)({ channel: 'text', ...opening }),
  /** Starts a voice session with a reflection; returns how to connect. */
  speak: (opening: SpeakWith & Keyed) =>
    call('POST /v1/sessions', VoiceSessionResponse)({ channel: 'voice', ...opening }),
  /** New credentials for a running call; each works for one connection. */
  reconnect: (sessionId: SessionId) =>
    call('POST /v1/sessions/{sessionId}/reconnect', VoiceSessionResponse)({ sessionId }),
  /** The session's citations in order, with the evidence that still exists. */
  citations: call('GET /v1/sessions/{sessionId}/citations', CitationPage),
  /** Latest first; all given filters apply. */
  list: call('GET /v1/sessions', SessionPage),
  /** Tool calls waiting for approval in sessions that you may decide in. */
  approvals: call('GET /v1/approvals', WaitingApprovals),
  get: (sessionId: SessionId) => call('GET /v1/sessions/{sessionId}', SessionView)({ sessionId }),
  rename: call('PATCH /v1/sessions/{sessionId}', SessionView),
  /** Ends the session; it stays readable. */
  end: (sessionId: SessionId) => call('POST /v1/sessions/{sessionId}/end', SessionView)({ sessionId }),
  /** Deletes the session with all its data. */
  remove: (sessionId: SessionId) => call('DELETE /v1/sessions/{sessionId}')({ sessionId }),
  /** A new session with the same history, optionally with another agent. */
  fork: call('POST /v1/sessions/{sessionId}/fork', SessionView),
  messages: call('GET /v1/sessions/{sessionId}/messages', MessagePage),
  /** Times, tokens, costs and decisions of the turns after the event `after`. */
  turns: call('GET /v1/sessions/{sessionId}/turns', TurnPage),
  /** As a workflow: the file and its content. */
  exported: (sessionId: SessionId) =>
    call('GET /v1/sessions/{sessionId}/export', ExportedWorkflow)({ sessionId }),
  /** The same, and records the export in the session. */
  export: (sessionId: SessionId) =>
    call('POST /v1/sessions/{sessionId}/export', ExportedWorkflow)({ sessionId }),
  /** The bytes of a media handle in the session. */
  media: async ({ sessionId, handle }: SessionParams & { handle: MediaHandle }) => {
    const media = { sessionId, hash: handle.replace('media://', '') }
    const response = await callEndpoint(api, 'GET /v1/sessions/{sessionId}/media/{hash}', media)
    const mediaType = response.headers.get('content-type') ?? 'application/octet-stream'
    return { mediaType, bytes: new Uint8Array(await response.arrayBuffer()) }
  },
  /** Idempotent by its key. */
  send: (message: EndpointInput<'POST /v1/sessions/{sessionId}/messages'> & Required<Keyed>) =>
    call('POST /v1/sessions/{sessionId}/messages', TurnAccepted)(message),
  /** The session after ending a turn whose process died. */
  resume: (sessionId: SessionId) => call('POST /v1/sessions/{sessionId}/resume', SessionView)({ sessionId }),
  /** Continues the last turn if it has no answer. */
  continue: (sessionId: SessionId) =>
    call('POST /v1/sessions/{sessionId}/resume', TurnAccepted)({ sessionId, continue: true }),
  /** Decides on a waiting tool call; the turn continues. */
  decide: call('POST /v1/sessions/{sessionId}/approvals/{callId}', TurnAccepted),
  cancel: (sessionId: SessionId) => call('POST /v1/sessions/{sessionId}/cancel', Cancelled)({ sessionId }),
  /** Every event after `after`, exactly once, across reconnects; ends when the signal is aborted. */
  events: (reading: EventReading) => readSessionEvents(reading, api, timing),
})

/** The session token is for clients without cookies. */
const StartedVisit = VoiceSessionResponse.strip()

interface VisitsClient extends ReturnType<typeof createVisitsClient> {}

/** Calls for people with a share link. In a page, a session cookie identifies them afterwards. */
const createVisitsClient = (call: CreateCall) => ({
  /** The reflection behind the link. */
  getSharedReflection: (token: string) => call('GET /v1/r/{token}', SharedReflection)({ token }),
  /** Starts a text session. A key opens the same session again, so it must be random. */
  start: (token: string, keyed?: Keyed) =>
    call('POST /v1/r/{token}/sessions', StartedSession)({ token, channel: 'text', ...keyed }),
  /** Starts a voice session over a WebSocket. */
  speak: (token: string, keyed?: Keyed) =>
    call('POST /v1/r/{token}/sessions', StartedVisit)({ token, channel: 'voice', ...keyed }),
})
