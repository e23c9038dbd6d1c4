import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  PlatformError,
  SendMessage,
  type SessionEvent,
  type SessionId,
  StartSession,
} from '@parley/contracts'
import { createEventHub, createSessions, type ModelPort, noTools, sessionView } from '@parley/engine'
import { memorySessionStore, testAgent, testIds, testOwner } from '@parley/engine/testing'

export interface RouteOptions {
  readonly model: ModelPort
  readonly provider?: string
  /** Stands between the events and the wire. */
  readonly events?: (events: AsyncIterable<SessionEvent>) => AsyncIterable<SessionEvent>
}

export function createRoutes({
  model,
  provider = 'test',
  events: through = (events) => events,
}: RouteOptions) {
  const store = memorySessionStore()
  const agent = { ...testAgent, model: model.modelId, provider }
  const sessions = createSessions({
    store,
    hub: createEventHub(),
    clock: { now: () => Date.now() },
    ids: testIds(),
    modelOf: () => model,
    toolsOf: () => noTools,
  })

  const recordOf = async (sessionId: SessionId) => {
    const record = await store.find(sessionId)
    if (!record)
      throw new PlatformError('session_not_found', { message: `There is no session ${sessionId}.` })
    return record
  }

  const send = async (sessionId: SessionId, request: IncomingMessage) => {
    const { text } = SendMessage.parse(await bodyOf(request))
    const idempotencyKey = String(request.headers['idempotency-key'])
    const { turnId } = await sessions.send(sessionId, text, { idempotencyKey })
    return { turnId }
  }

  const stream = async (sessionId: SessionId, request: IncomingMessage, response: ServerResponse) => {
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    const after = Number(request.headers['last-event-id'] ?? 0)
    for await (const event of through(sessions.events({ sessionId, after, signal: gone.signal }))) {
      response.write(
        `: heartbeat\n\nid: ${event.sequenceNumber}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
      )
    }
    response.end()
  }

  return async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://fake')
    const [, , , id, what] = pathname.split('/')
    const sessionId = (id ?? '') as SessionId
    const limit = Number(searchParams.get('limit') ?? 50)
    const say = (status: number, body: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }

    switch (`${request.method} ${pathname.replace(/ses_\w+/, ':id')}`) {
      case 'GET /v1/me':
        return say(200, { personId: testOwner, role: 'owner', label: 'Ada' })
      case 'POST /v1/sessions': {
        const { title, channel } = StartSession.parse(await bodyOf(request))
        const context = { workingDir: '/', fsScopeTier: 'sandboxed' as const }
        const opening = { ownerId: testOwner, channel, agent, context }
        const { id: started } = await sessions.start(title === undefined ? opening : { ...opening, title })
        return say(201, sessionView(await recordOf(started)))
      }
      case 'GET /v1/sessions': {
        const cursor = searchParams.get('cursor')
        const page = await store.list({ limit, ...(cursor !== null && { cursor }) })
        return say(200, { ...page, items: page.items.map(sessionView) })
      }
      case 'GET /v1/sessions/:id':
        return say(200, sessionView(await recordOf(sessionId)))
      case 'GET /v1/sessions/:id/messages': {
        await recordOf(sessionId)
        const after = Number(searchParams.get('after') ?? 0)
        const items = await store.readMessages(sessionId, { after, limit })
        const last = items.at(-1)
        const more = last && items.length === limit
        return say(200, { items, ...(more && { nextCursor: String(last.sequenceNumber) }) })
      }
      case 'POST /v1/sessions/:id/messages':
        return say(202, await send(sessionId, request))
      case 'POST /v1/sessions/:id/cancel':
        return say(202, { cancelled: sessions.cancel(sessionId) })
      case 'GET /v1/sessions/:id/events':
        await recordOf(sessionId)
        return stream(sessionId, request, response)
      default:
        throw new PlatformError('not_found', {
          message: `There is nothing at ${pathname} (${what ?? 'root'}).`,
        })
    }
  }
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk)
  return JSON.parse(text)
}
