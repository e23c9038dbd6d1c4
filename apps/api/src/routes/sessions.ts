import { PlatformError, type SessionEvent, type SessionId } from '@parley/contracts'
import { type SessionRecord, sessionView } from '@parley/engine'
import type { Api } from '../api.ts'
import type { Caller } from '../auth/authenticate.ts'
import type { Services } from '../services.ts'
import { eventStream } from '../sse.ts'
import { agentFor } from './agent-for.ts'
import { contextFor } from './context-for.ts'
import { CANCEL, EVENTS, GET, LIST, MESSAGES, SEND, START } from './session-routes-described.ts'

export function sessionRoutes(app: Api, services: Services) {
  const { sessions, store, metrics, logger } = services

  app.openapi(START, async (c) => {
    const caller = c.get('caller')
    const { channel, title, context, ...named } = c.req.valid('json')
    const session = await sessions.start({
      ownerId: caller.personId,
      channel,
      agent: agentFor(named, caller, services.agents),
      context: contextFor(context, caller, services.defaultContext),
      ...(title !== undefined && { title }),
    })
    return c.json(sessionView({ session, lastSequence: 1 }), 201)
  })

  app.openapi(LIST, async (c) => {
    const { limit, cursor } = c.req.valid('query')
    const { personId: ownerId } = c.get('caller')
    const page = await store.list({ ownerId, limit, ...(cursor !== undefined && { cursor }) })
    return c.json({ ...page, items: page.items.map(sessionView) }, 200)
  })

  app.openapi(GET, async (c) => {
    return c.json(sessionView(await sessionFor(c.get('caller'), c.req.valid('param').sessionId)), 200)
  })

  app.openapi(MESSAGES, async (c) => {
    const { sessionId } = c.req.valid('param')
    const { after, limit } = c.req.valid('query')
    await sessionFor(c.get('caller'), sessionId)
    const items = await store.readMessages(sessionId, { after, limit })
    const last = items.length === limit ? items.at(-1) : undefined
    return c.json({ items: [...items], ...(last && { nextCursor: String(last.sequenceNumber) }) }, 200)
  })

  app.openapi(SEND, async (c) => {
    const { sessionId } = c.req.valid('param')
    const { text } = c.req.valid('json')
    const { 'idempotency-key': idempotencyKey } = c.req.valid('header')
    await sessionFor(c.get('caller'), sessionId)
    const turn = await sessions.send(sessionId, text, idempotencyKey === undefined ? {} : { idempotencyKey })
    turn.ended?.then(
      (stopReason) => metrics.turns.inc({ stop_reason: stopReason }),
      (err: unknown) => logger.error({ err, sessionId, turnId: turn.turnId }, 'turn could not be stored'),
    )
    if (c.req.header('accept')?.includes('text/event-stream')) {
      return streamOf(sessionId, turn.firstSequence - 1, turn.turnId)
    }
    return c.json({ turnId: turn.turnId }, 202)
  })

  app.openapi(EVENTS, async (c) => {
    const { sessionId } = c.req.valid('param')
    await sessionFor(c.get('caller'), sessionId)
    return streamOf(sessionId, startOf(c.req.valid('header')['last-event-id'], c.req.valid('query').after))
  })

  app.openapi(CANCEL, async (c) => {
    const { sessionId } = c.req.valid('param')
    await sessionFor(c.get('caller'), sessionId)
    return c.json({ cancelled: sessions.cancel(sessionId) }, 202)
  })

  /** The session, if it is the caller's own or the caller is an admin; otherwise it is as if it did not exist. */
  async function sessionFor(caller: Caller, sessionId: SessionId): Promise<SessionRecord> {
    const record = await store.find(sessionId)
    const isTheirs =
      record?.session.ownerId === caller.personId || caller.role === 'owner' || caller.role === 'admin'
    if (record && isTheirs) return record
    throw new PlatformError('session_not_found', { sessionId, message: `There is no session ${sessionId}.` })
  }

  function streamOf(sessionId: SessionId, after: number, untilTurn?: string): Response {
    const abort = new AbortController()
    metrics.readers.inc()
    abort.signal.addEventListener('abort', () => metrics.readers.dec(), { once: true })
    const events = sessions.events({ sessionId, after, signal: abort.signal })
    return eventStream(untilTurn === undefined ? events : untilEndOf(untilTurn, events), abort)
  }
}

async function* untilEndOf(
  turnId: string,
  events: AsyncGenerator<SessionEvent>,
): AsyncGenerator<SessionEvent> {
  for await (const event of events) {
    yield event
    if (event.type === 'session:turn_completed' && event.turnId === turnId) return
  }
}

function startOf(lastEventId: string | undefined, after: number): number {
  if (lastEventId === undefined || lastEventId === '') return after
  const seen = Number(lastEventId)
  if (Number.isSafeInteger(seen) && seen >= 0) return seen
  throw new PlatformError('validation', {
    message: `Last-Event-ID is the number of an event, not "${lastEventId}".`,
  })
}
