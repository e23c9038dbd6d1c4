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
  type ProviderVoice,
  ProviderVoices,
  type RenameSession,
  type ResumeSession,
  type SendMessage,
  type SessionEvent,
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

/** Every call throws a `PlatformError` with the problem's code, and its detail as the message. */
export interface ApiClient {
  me(): Promise<Me>
  /** For pages: sets the sign-in cookie. */
  signIn(secret: string): Promise<Me>
  signOut(): Promise<void>
  readonly mySettings: {
    get(): Promise<MySettings>
    set(settings: MySettings): Promise<MySettings>
  }
  /** For server admins. */
  readonly health: {
    get(range: HealthRange): Promise<Health>
    /** Checks a provider with a free request. */
    probe(provider: ProbeProvider): Promise<ProviderHealth>
    /** Queues a failed job again, once. */
    retryJob(jobId: string): Promise<JobRetried>
  }
  readonly tokens: {
    /** For a new person; the token is returned only once. */
    create(token: CreateToken & Keyed): Promise<CreatedToken>
    /** Active tokens of your rank and below, latest first; a person may have several. */
    list(page?: { limit?: number; cursor?: string }): Promise<TokenPage>
    revoke(tokenId: string): Promise<void>
  }
  readonly reflections: ReflectionsClient
  /** Voices available to reflections; empty without a voice provider. */
  voices(): Promise<readonly ProviderVoice[]>
  readonly visits: VisitsClient
  readonly sessions: {
    start(opening?: Partial<StartSession> & Keyed): Promise<StartedSession>
    /** Starts a voice session with a reflection; returns how to connect. */
    speak(opening: SpeakWith & Keyed): Promise<VoiceSessionResponse>
    /** New credentials for a running call; each works for one connection. */
    reconnect(sessionId: SessionId): Promise<VoiceSessionResponse>
    /** The session's citations in order, with the evidence that still exists. */
    citations(range: OfSession & { after?: number; limit?: number }): Promise<CitationPage>
    /** Latest first; all given filters apply. */
    list(query?: Partial<ListSessions>): Promise<SessionPage>
    /** Tool calls waiting for approval in sessions that you may decide in. */
    approvals(): Promise<WaitingApprovals>
    get(sessionId: SessionId): Promise<SessionView>
    rename(session: RenameSession & OfSession): Promise<SessionView>
    /** Ends the session; it stays readable. */
    end(sessionId: SessionId): Promise<SessionView>
    /** Deletes the session with all its data. */
    remove(sessionId: SessionId): Promise<void>
    /** A new session with the same history, optionally with another agent. */
    fork(session: ForkSession & OfSession & Keyed): Promise<SessionView>
    messages(range: OfSession & { after?: number; limit?: number }): Promise<MessagePage>
    /** Times, tokens, costs and decisions of the turns after the event `after`. */
    turns(range: OfSession & { after?: number }): Promise<TurnPage>
    /** As a workflow: the file and its content. */
    exported(sessionId: SessionId): Promise<ExportedWorkflow>
    /** The same, and records the export in the session. */
    export(sessionId: SessionId): Promise<ExportedWorkflow>
    /** The bytes of a media handle in the session. */
    media(media: OfSession & { handle: MediaHandle }): Promise<{ mediaType: string; bytes: Uint8Array }>
    /** Idempotent by its key. */
    send(message: SendMessage & OfSession & { idempotencyKey: string }): Promise<TurnAccepted>
    /** The session after ending a turn whose process died. */
    resume(sessionId: SessionId): Promise<SessionView>
    /** Continues the last turn if it has no answer. */
    continue(sessionId: SessionId): Promise<TurnAccepted>
    /** Decides on a waiting tool call; the turn continues. */
    decide(decision: DecideApproval & OfSession & { callId: CallId }): Promise<TurnAccepted>
    cancel(sessionId: SessionId): Promise<Cancelled>
    /** Every event after `after`, exactly once, across reconnects; ends when the signal is aborted. */
    events(reading: EventReading): AsyncGenerator<SessionEvent>
  }
}

/** WebSocket is the server's default transport. */
export type SpeakWith = Pick<StartVoiceSession, 'reflectionId'> &
  Partial<Pick<StartVoiceSession, 'agentType' | 'offRecord' | 'title'>>

interface OfSession {
  readonly sessionId: SessionId
}

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

export function createApiClient({ baseUrl, token, as, timing, ...options }: ApiClientOptions): ApiClient {
  // A browser's fetch must not be called as a method of another object.
  const api: Api = { baseUrl, token, as, fetch: options.fetch ?? ((input, init) => fetch(input, init)) }
  return {
    me: () => ask(api, Me, 'GET', '/v1/me'),
    signIn: (secret) => ask(api, Me, 'POST', '/v1/sign-in', { body: { token: secret } }),
    signOut: async () => void (await request(api, 'DELETE', '/v1/sign-in', {})),
    mySettings: {
      get: () => ask(api, MySettings, 'GET', '/v1/me/settings'),
      set: (body) => ask(api, MySettings, 'PUT', '/v1/me/settings', { body }),
    },
    health: {
      get: (range) => ask(api, Health, 'GET', `/v1/health${queryOf({ range })}`),
      probe: (body) => ask(api, ProviderHealth, 'POST', '/v1/health/probe', { body }),
      retryJob: (jobId) => ask(api, JobRetried, 'POST', `/v1/health/jobs/${encodeURIComponent(jobId)}/retry`),
    },
    tokens: {
      create: ({ idempotencyKey, ...body }) =>
        ask(api, CreatedToken, 'POST', '/v1/tokens', { body, idempotencyKey }),
      list: (page = {}) => ask(api, TokenPage, 'GET', `/v1/tokens${queryOf(page)}`),
      revoke: async (tokenId) =>
        void (await request(api, 'DELETE', `/v1/tokens/${encodeURIComponent(tokenId)}`, {})),
    },
    reflections: createReflectionsClient(api),
    voices: async () => (await ask(api, ProviderVoices, 'GET', '/v1/voices')).items,
    visits: createVisitsClient(api),
    sessions: {
      start: ({ idempotencyKey, ...opening } = {}) =>
        ask(api, StartedSession, 'POST', '/v1/sessions', {
          body: { channel: 'text', ...opening },
          idempotencyKey,
        }),
      speak: ({ idempotencyKey, ...opening }) =>
        ask(api, VoiceSessionResponse, 'POST', '/v1/sessions', {
          body: { channel: 'voice', ...opening },
          idempotencyKey,
        }),
      reconnect: (sessionId) =>
        ask(api, VoiceSessionResponse, 'POST', `${pathOf(sessionId)}/reconnect`, { body: {} }),
      citations: ({ sessionId, ...range }) =>
        ask(api, CitationPage, 'GET', `${pathOf(sessionId)}/citations${queryOf(range)}`),
      list: (query = {}) => ask(api, SessionPage, 'GET', `/v1/sessions${queryOf(query)}`),
      approvals: () => ask(api, WaitingApprovals, 'GET', '/v1/approvals'),
      get: (sessionId) => ask(api, SessionView, 'GET', pathOf(sessionId)),
      rename: ({ sessionId, ...body }) => ask(api, SessionView, 'PATCH', pathOf(sessionId), { body }),
      end: (sessionId) => ask(api, SessionView, 'POST', `${pathOf(sessionId)}/end`),
      remove: async (sessionId) => void (await request(api, 'DELETE', pathOf(sessionId), {})),
      fork: ({ sessionId, idempotencyKey, ...body }) =>
        ask(api, SessionView, 'POST', `${pathOf(sessionId)}/fork`, { body, idempotencyKey }),
      messages: ({ sessionId, ...range }) =>
        ask(api, MessagePage, 'GET', `${pathOf(sessionId)}/messages${queryOf(range)}`),
      turns: ({ sessionId, ...range }) =>
        ask(api, TurnPage, 'GET', `${pathOf(sessionId)}/turns${queryOf(range)}`),
      exported: (sessionId) =>
        ask(api, ExportedWorkflow, 'GET', `${pathOf(sessionId)}/export`, {
          headers: { accept: 'application/json' },
        }),
      export: (sessionId) =>
        ask(api, ExportedWorkflow, 'POST', `${pathOf(sessionId)}/export`, {
          headers: { accept: 'application/json' },
        }),
      media: async ({ sessionId, handle }) => {
        const path = `${pathOf(sessionId)}/media/${handle.replace('media://', '')}`
        const response = await request(api, 'GET', path, {})
        const mediaType = response.headers.get('content-type') ?? 'application/octet-stream'
        return { mediaType, bytes: new Uint8Array(await response.arrayBuffer()) }
      },
      send: ({ sessionId, text, idempotencyKey }) =>
        ask(api, TurnAccepted, 'POST', `${pathOf(sessionId)}/messages`, {
          body: { text },
          idempotencyKey,
        }),
      resume: (sessionId) => ask(api, SessionView, 'POST', `${pathOf(sessionId)}/resume`, { body: {} }),
      continue: (sessionId) =>
        ask(api, TurnAccepted, 'POST', `${pathOf(sessionId)}/resume`, {
          body: { continue: true } satisfies ResumeSession,
        }),
      decide: ({ sessionId, callId, ...body }) =>
        ask(api, TurnAccepted, 'POST', `${pathOf(sessionId)}/approvals/${encodeURIComponent(callId)}`, {
          body,
        }),
      cancel: (sessionId) => ask(api, Cancelled, 'POST', `${pathOf(sessionId)}/cancel`),
      events: (reading) => readSessionEvents(reading, api, timing),
    },
  }
}

/** Calls for people with a share link. In a page, a session cookie identifies them afterwards. */
interface VisitsClient {
  /** The reflection behind the link. */
  look(linkToken: string): Promise<SharedReflection>
  /** Starts a text session. A key opens the same session again, so it must be random. */
  start(linkToken: string, keyed?: Keyed): Promise<StartedSession>
  /** Starts a voice session over a WebSocket. */
  speak(linkToken: string, keyed?: Keyed): Promise<VoiceSessionResponse>
}

/** The session token is for clients without cookies. */
const Spoken = VoiceSessionResponse.strip()

function createVisitsClient(api: Api): VisitsClient {
  return {
    look: (linkToken) => ask(api, SharedReflection, 'GET', at(linkToken)),
    start: (linkToken, keyed) =>
      ask(api, StartedSession, 'POST', visit(linkToken), { body: { channel: 'text' }, ...keyed }),
    speak: (linkToken, keyed) =>
      ask(api, Spoken, 'POST', visit(linkToken), { body: { channel: 'voice' }, ...keyed }),
  }
}

const at = (linkToken: string) => `/v1/r/${encodeURIComponent(linkToken)}`
const visit = (linkToken: string) => `${at(linkToken)}/sessions`
