import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type Agent,
  type CallId,
  DecideApproval,
  ForkSession,
  PlatformError,
  RenameSession,
  ResumeSession,
  SendMessage,
  type SessionEvent,
  type SessionId,
  StartSession,
} from '@parley/contracts'
import { type Sessions, toSessionView } from '@parley/engine'
import { testOwner } from '@parley/engine/testing'
import type { FakeProcesses } from './fake-processes.ts'

export interface RouteOptions {
  /** Transforms the events before they are sent. */
  readonly events?: (events: AsyncIterable<SessionEvent>) => AsyncIterable<SessionEvent>
}

interface FakeRequest {
  readonly sessionId: SessionId
  readonly callId: CallId
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
  readonly body: () => Promise<unknown>
}

type FakeResponse = readonly [status: number, body?: unknown]

/** The API's routes over the current process. */
export function createRoutes(
  processes: FakeProcesses,
  agent: Agent,
  { events: through = (events) => events }: RouteOptions,
) {
  const recordOf = async (sessionId: SessionId) => {
    const record = await processes.store.find(sessionId)
    if (record) return record
    throw new PlatformError('session_not_found', { message: `There is no session ${sessionId}.` })
  }
  const viewOf = async (sessionId: SessionId) => toSessionView(await recordOf(sessionId), { mayWrite: true })

  const routes: Readonly<Record<string, (request: FakeRequest) => Promise<FakeResponse>>> = {
    'GET /v1/me': async () => [200, { personId: testOwner, role: 'owner', label: 'Ada' }],

    'POST /v1/sessions': async ({ body }) => {
      const { title, channel } = StartSession.parse(await body())
      const context = { workingDir: '/', fsScopeTier: 'sandboxed' as const }
      const opening = { ownerId: testOwner, channel, agent, context }
      const { id } = await processes.sessions.start(title === undefined ? opening : { ...opening, title })
      return [201, await viewOf(id)]
    },

    'GET /v1/sessions': async ({ query }) => {
      const given = Object.fromEntries(query)
      const page = await processes.store.list({ ...given, limit: Number(given['limit'] ?? 50) })
      return [200, { ...page, items: page.items.map((record) => toSessionView(record, { mayWrite: true })) }]
    },

    'GET /v1/sessions/:id': async ({ sessionId }) => [200, await viewOf(sessionId)],

    'PATCH /v1/sessions/:id': async ({ sessionId, body }) => {
      await processes.store.rename(sessionId, RenameSession.parse(await body()).title)
      return [200, await viewOf(sessionId)]
    },

    'DELETE /v1/sessions/:id': async ({ sessionId }) => {
      await recordOf(sessionId)
      await processes.sessions.remove(sessionId)
      return [204]
    },

    'POST /v1/sessions/:id/end': async ({ sessionId }) => {
      await processes.sessions.end(sessionId)
      return [200, await viewOf(sessionId)]
    },

    'POST /v1/sessions/:id/fork': async ({ sessionId, body }) => {
      const { agent: other = agent } = ForkSession.parse(await body())
      const { id } = await processes.sessions.fork(sessionId, { ownerId: testOwner, agent: other })
      return [201, await viewOf(id)]
    },

    'GET /v1/sessions/:id/messages': async ({ sessionId, query }) => {
      const { session } = await recordOf(sessionId)
      const range = { after: Number(query.get('after') ?? 0), limit: Number(query.get('limit') ?? 100) }
      const items = await processes.store.readMessages(sessionId, range)
      const last = items.at(-1)?.sequenceNumber
      const more = last !== undefined && last < session.messageCount
      return [200, { items, ...(more && { nextCursor: String(last) }) }]
    },

    'POST /v1/sessions/:id/messages': async ({ sessionId, headers, body }) => {
      const { text } = SendMessage.parse(await body())
      const idempotencyKey = String(headers['idempotency-key'])
      return accepted(processes.sessions.send(sessionId, text, { idempotencyKey }))
    },

    'POST /v1/sessions/:id/resume': async ({ sessionId, body }) => {
      if (ResumeSession.parse(await body()).continue) return accepted(processes.sessions.continue(sessionId))
      await processes.sessions.settle(sessionId)
      return [200, await viewOf(sessionId)]
    },

    'POST /v1/sessions/:id/approvals/:call': async ({ sessionId, callId, body }) => {
      const decision = DecideApproval.parse(await body())
      return accepted(processes.sessions.decide(sessionId, callId, decision))
    },

    'POST /v1/sessions/:id/cancel': async ({ sessionId }) => [
      202,
      { cancelled: await processes.sessions.cancel(sessionId) },
    ],
  }

  const stream = async ({ sessionId, headers }: FakeRequest, response: ServerResponse) => {
    await recordOf(sessionId)
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    const after = Number(headers['last-event-id'] ?? 0)
    const events = processes.sessions.streamEvents({ sessionId, after, signal: gone.signal })
    for await (const event of through(events)) {
      response.write(
        `: heartbeat\n\nid: ${event.sequenceNumber}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
      )
    }
    response.end()
  }

  return async (incoming: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams: query } = new URL(incoming.url ?? '/', 'http://fake')
    const [, , , id = '', what, call = ''] = pathname.split('/')
    const request: FakeRequest = {
      sessionId: id as SessionId,
      callId: decodeURIComponent(call) as CallId,
      query,
      headers: incoming.headers,
      body: () => bodyOf(incoming),
    }
    if (what === 'events') return stream(request, response)
    const path = pathname.replace(/ses_\w+/, ':id').replace(/(?<=\/approvals\/).+/, ':call')
    const route = routes[`${incoming.method} ${path}`]
    if (!route) throw new PlatformError('not_found', { message: `No route ${pathname}.` })
    const [status, body] = await route(request)
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(body === undefined ? undefined : JSON.stringify(body))
  }
}

async function accepted(opening: ReturnType<Sessions['send']>): Promise<FakeResponse> {
  const { turnId, ended } = await opening
  // The turn of a killed process can no longer be stored.
  ended?.catch(() => undefined)
  return [202, { turnId }]
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk)
  return JSON.parse(text)
}
