import {
  type CallId,
  Cancelled,
  CreatedToken,
  type CreateToken,
  type DecideApproval,
  type ForkSession,
  Me,
  MessagePage,
  type RenameSession,
  type ResumeSession,
  type SendMessage,
  type SessionEvent,
  type SessionId,
  SessionPage,
  SessionView,
  type StartSession,
  TokenPage,
  TurnAccepted,
} from '@parley/contracts'
import { type EventReading, readSessionEvents, type StreamTiming } from './read-session-events.ts'
import { createReflectionsClient, type ReflectionsClient } from './reflections-client.ts'
import { type Api, ask, pathOf, queryOf, request } from './request.ts'

/** Every call throws a `PlatformError`: the problem's code, and its detail as the message. */
export interface ApiClient {
  me(): Promise<Me>
  readonly tokens: {
    /** For a new person; the token itself is told this once. */
    create(token: CreateToken): Promise<CreatedToken>
    /** Those that stand, of your own rank and below, latest first; a person may have several. */
    list(page?: { limit?: number; cursor?: string }): Promise<TokenPage>
    revoke(tokenId: string): Promise<void>
  }
  readonly reflections: ReflectionsClient
  readonly sessions: {
    start(opening?: Partial<StartSession>): Promise<SessionView>
    /** Latest first; with `search` those whose title or messages hold the words. */
    list(page?: { search?: string; limit?: number; cursor?: string }): Promise<SessionPage>
    get(sessionId: SessionId): Promise<SessionView>
    rename(session: RenameSession & OfSession): Promise<SessionView>
    /** It can still be read, but nothing more is said in it. */
    end(sessionId: SessionId): Promise<SessionView>
    /** Removes it with all that it holds. */
    remove(sessionId: SessionId): Promise<void>
    /** A new session with the same past, of another agent where one is named. */
    fork(session: ForkSession & OfSession): Promise<SessionView>
    messages(range: OfSession & { after?: number; limit?: number }): Promise<MessagePage>
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

interface OfSession {
  readonly sessionId: SessionId
}

export interface ApiClientOptions {
  /** Where the server is, without a slash at the end; empty in a page that the server itself gave. */
  readonly baseUrl: string
  readonly token: string
  readonly fetch?: typeof fetch
  readonly timing?: Partial<StreamTiming>
}

export function createApiClient({ baseUrl, token, timing, ...given }: ApiClientOptions): ApiClient {
  // A browser's fetch refuses to be called as another object's method.
  const api: Api = { baseUrl, token, fetch: given.fetch ?? ((input, init) => fetch(input, init)) }
  return {
    me: () => ask(api, Me, 'GET', '/v1/me'),
    tokens: {
      create: (body) => ask(api, CreatedToken, 'POST', '/v1/tokens', { body }),
      list: (page = {}) => ask(api, TokenPage, 'GET', `/v1/tokens${queryOf(page)}`),
      revoke: async (tokenId) =>
        void (await request(api, 'DELETE', `/v1/tokens/${encodeURIComponent(tokenId)}`, {})),
    },
    reflections: createReflectionsClient(api),
    sessions: {
      start: (opening = {}) =>
        ask(api, SessionView, 'POST', '/v1/sessions', { body: { channel: 'text', ...opening } }),
      list: (page = {}) => ask(api, SessionPage, 'GET', `/v1/sessions${queryOf(page)}`),
      get: (sessionId) => ask(api, SessionView, 'GET', pathOf(sessionId)),
      rename: ({ sessionId, ...body }) => ask(api, SessionView, 'PATCH', pathOf(sessionId), { body }),
      end: (sessionId) => ask(api, SessionView, 'POST', `${pathOf(sessionId)}/end`),
      remove: async (sessionId) => void (await request(api, 'DELETE', pathOf(sessionId), {})),
      fork: ({ sessionId, ...body }) => ask(api, SessionView, 'POST', `${pathOf(sessionId)}/fork`, { body }),
      messages: ({ sessionId, ...range }) =>
        ask(api, MessagePage, 'GET', `${pathOf(sessionId)}/messages${queryOf(range)}`),
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
