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
import { type Api, ask, pathOf, queryOf, request } from './request.ts'

/** Every call throws a `PlatformError`: the problem's code, and its detail as the message. */
export interface ApiClient {
  me(): Promise<Me>
  /** Of a page: it is known by a cookie from then on. */
  signIn(secret: string): Promise<Me>
  signOut(): Promise<void>
  readonly mySettings: {
    get(): Promise<MySettings>
    set(settings: MySettings): Promise<MySettings>
  }
  /** For admins of the server. */
  readonly health: {
    get(range: HealthRange): Promise<Health>
    /** Asks a provider whether it answers, by a call that costs nothing. */
    probe(asked: ProbeProvider): Promise<ProviderHealth>
    /** Puts a job that failed into its queue again, once. */
    retryJob(jobId: string): Promise<JobRetried>
  }
  readonly tokens: {
    /** For a new person; the token itself is told this once. */
    create(token: CreateToken): Promise<CreatedToken>
    /** Those that stand, of your own rank and below, latest first; a person may have several. */
    list(page?: { limit?: number; cursor?: string }): Promise<TokenPage>
    revoke(tokenId: string): Promise<void>
  }
  readonly reflections: ReflectionsClient
  /** Those that a reflection may be given; none where the server does not speak. */
  voices(): Promise<readonly ProviderVoice[]>
  readonly visits: VisitsClient
  readonly sessions: {
    start(opening?: Partial<StartSession>): Promise<StartedSession>
    /** A spoken session with a reflection: how to connect to its call. */
    speak(opening: SpeakWith): Promise<VoiceSessionResponse>
    /** Once more, to a call that is on; a credential is good for one connection. */
    reconnect(sessionId: SessionId): Promise<VoiceSessionResponse>
    /** What was looked up in it, in order, with what of that still stands. */
    citations(range: OfSession & { after?: number; limit?: number }): Promise<CitationPage>
    /** Latest first; all that is named has to hold. */
    list(query?: Partial<ListSessions>): Promise<SessionPage>
    /** The calls that wait for a person, of sessions that you may decide in. */
    approvals(): Promise<WaitingApprovals>
    get(sessionId: SessionId): Promise<SessionView>
    rename(session: RenameSession & OfSession): Promise<SessionView>
    /** It can still be read, but nothing more is said in it. */
    end(sessionId: SessionId): Promise<SessionView>
    /** Removes it with all that it holds. */
    remove(sessionId: SessionId): Promise<void>
    /** A new session with the same past, of another agent where one is named. */
    fork(session: ForkSession & OfSession): Promise<SessionView>
    messages(range: OfSession & { after?: number; limit?: number }): Promise<MessagePage>
    /** Times, tokens, costs and decisions of the turns after the event `after`. */
    turns(range: OfSession & { after?: number }): Promise<TurnPage>
    /** As a workflow: the file, and what stands in it. */
    exported(sessionId: SessionId): Promise<ExportedWorkflow>
    /** The same; that it was exported is told in the session. */
    export(sessionId: SessionId): Promise<ExportedWorkflow>
    /** The bytes that a message of the session names. */
    media(named: OfSession & { handle: MediaHandle }): Promise<{ mediaType: string; bytes: Uint8Array }>
    /** Sent again with the same key, a message is not doubled. */
    send(message: SendMessage & OfSession & { idempotencyKey: string }): Promise<TurnAccepted>
    /** How the session stands, once a turn whose process died has been ended. */
    resume(sessionId: SessionId): Promise<SessionView>
    /** Goes on with the last turn, if it came to no answer. */
    continue(sessionId: SessionId): Promise<TurnAccepted>
    /** What a person says to a call that waits for them; the turn goes on. */
    decide(decision: DecideApproval & OfSession & { callId: CallId }): Promise<TurnAccepted>
    cancel(sessionId: SessionId): Promise<Cancelled>
    /** Every event after `after`, each once, however often the connection breaks; ends when the signal is aborted. */
    events(reading: EventReading): AsyncGenerator<SessionEvent>
  }
}

/** Over a socket, which is what the server opens where nothing else is asked for. */
export type SpeakWith = Pick<StartVoiceSession, 'reflectionId'> &
  Partial<Pick<StartVoiceSession, 'agentType' | 'offRecord' | 'title'>>

interface OfSession {
  readonly sessionId: SessionId
}

export interface ApiClientOptions {
  /** Where the server is, without a slash at the end; empty in a page that the server itself gave. */
  readonly baseUrl: string
  /** Absent in a page, which is known by its cookie. */
  readonly token?: string
  /** In a page that visitors see: whoever is signed in besides is not who asks. */
  readonly as?: 'visitor'
  readonly fetch?: typeof fetch
  readonly timing?: Partial<StreamTiming>
}

export function createApiClient({ baseUrl, token, as, timing, ...given }: ApiClientOptions): ApiClient {
  // A browser's fetch refuses to be called as another object's method.
  const api: Api = { baseUrl, token, as, fetch: given.fetch ?? ((input, init) => fetch(input, init)) }
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
      create: (body) => ask(api, CreatedToken, 'POST', '/v1/tokens', { body }),
      list: (page = {}) => ask(api, TokenPage, 'GET', `/v1/tokens${queryOf(page)}`),
      revoke: async (tokenId) =>
        void (await request(api, 'DELETE', `/v1/tokens/${encodeURIComponent(tokenId)}`, {})),
    },
    reflections: createReflectionsClient(api),
    voices: async () => (await ask(api, ProviderVoices, 'GET', '/v1/voices')).items,
    visits: createVisitsClient(api),
    sessions: {
      start: (opening = {}) =>
        ask(api, StartedSession, 'POST', '/v1/sessions', { body: { channel: 'text', ...opening } }),
      speak: (opening) =>
        ask(api, VoiceSessionResponse, 'POST', '/v1/sessions', { body: { channel: 'voice', ...opening } }),
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
      fork: ({ sessionId, ...body }) => ask(api, SessionView, 'POST', `${pathOf(sessionId)}/fork`, { body }),
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
          headers: { 'idempotency-key': idempotencyKey },
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

/** What anybody may do who has a link. Within a page, a cookie of the session's own says who they are from then on. */
interface VisitsClient {
  /** Whom the link lets one talk with. */
  look(linkToken: string): Promise<SharedReflection>
  /** A typed session. */
  start(linkToken: string): Promise<StartedSession>
  /** A spoken one, over a socket. */
  speak(linkToken: string): Promise<VoiceSessionResponse>
}

/** The token of the session is for who has no cookie. */
const Spoken = VoiceSessionResponse.strip()

function createVisitsClient(api: Api): VisitsClient {
  return {
    look: (linkToken) => ask(api, SharedReflection, 'GET', at(linkToken)),
    start: (linkToken) => ask(api, StartedSession, 'POST', visit(linkToken), { body: { channel: 'text' } }),
    speak: (linkToken) => ask(api, Spoken, 'POST', visit(linkToken), { body: { channel: 'voice' } }),
  }
}

const at = (linkToken: string) => `/v1/r/${encodeURIComponent(linkToken)}`
const visit = (linkToken: string) => `${at(linkToken)}/sessions`
