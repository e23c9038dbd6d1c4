import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import {
  CallRef,
  Cancelled,
  DecideApproval,
  IdempotencyKey,
  MAX_SEQUENCE,
  PlatformError,
  ReadEvents,
  ResumeSession,
  SendMessage,
  SessionEvent,
  type SessionId,
  SessionRef,
  SessionView,
  TurnAccepted,
} from '@parley/contracts'
import { type SentMessage, sessionView } from '@parley/engine'
import { refuseOutdated, refuseWithoutTranscript } from '@parley/reflections'
import type { Api } from '../api.ts'
import type { Entrant } from '../auth/authenticate.ts'
import { createEventStreams } from '../event-streams.ts'
import { toVisitorEvents } from '../reflections/visitor-events.ts'
import type { Services } from '../services.ts'
import { STREAM_HEADERS } from '../sse.ts'
import { body, json, problems } from './describe.ts'
import { type EnteredSession, refuseOffRecord, sessionFor } from './session-for.ts'

/** What happens in a session: say something, listen, cancel, go on, decide. */
export function turnRoutes(app: Api, services: Services) {
  const { sessions, store, metrics, logger, findCaller, audit } = services
  const streams = createEventStreams({ readers: metrics.readers, findCaller })

  app.openapi(SEND, async (c) => {
    const { sessionId } = c.req.valid('param')
    const { text, media = [] } = c.req.valid('json')
    const { 'idempotency-key': idempotencyKey } = c.req.valid('header')
    const caller = c.get('caller')
    const isListening = c.req.header('accept')?.includes('text/event-stream')
    const record = await sessionFor(caller, sessionId, 'speak', services)
    await refuseWithoutTranscript(record.session, services)
    await refuseOutdated(record.withReflection, services)
    if (isListening) streams.admit(caller)
    const said = { text, media: media.map(mediaFrom) }
    const turn = await sessions.send(sessionId, said, idempotencyKey === undefined ? {} : { idempotencyKey })
    watch(sessionId, turn)
    if (isListening) return streamOf(caller, record, turn.firstSequence - 1, turn.turnId)
    return c.json({ turnId: turn.turnId }, 202)
  })

  app.openapi(EVENTS, async (c) => {
    const { sessionId } = c.req.valid('param')
    const caller = c.get('caller')
    const record = await sessionFor(caller, sessionId, 'read', services)
    const { lastSequence, openTurn } = record
    const after = startOf(c.req.valid('header')['last-event-id'], c.req.valid('query').after)
    // An open turn may have told more than is stored.
    if (after > lastSequence && !openTurn) throw neverTold(after, lastSequence)
    // Who asks for the headers alone reads nothing.
    if (c.req.method === 'HEAD') return c.body(null, 200, STREAM_HEADERS)
    return streamOf(caller, record, after)
  })

  app.openapi(CANCEL, async (c) => {
    const { sessionId } = c.req.valid('param')
    await sessionFor(c.get('caller'), sessionId, 'speak', services)
    return c.json({ cancelled: await sessions.cancel(sessionId) }, 202)
  })

  app.openapi(RESUME, async (c) => {
    const { sessionId } = c.req.valid('param')
    await refuseOffRecord(c.get('caller'), sessionId, 'speak', services)
    const record = await sessionFor(c.get('caller'), sessionId, 'speak', services)
    await refuseWithoutTranscript(record.session, services)
    await refuseOutdated(record.withReflection, services)
    if (c.req.valid('json').continue) {
      const turn = await sessions.continue(sessionId)
      watch(sessionId, turn)
      return c.json({ turnId: turn.turnId }, 202)
    }
    await sessions.settle(sessionId)
    return c.json(sessionView((await store.find(sessionId)) ?? record, { mayWrite: true }), 200)
  })

  app.openapi(DECIDE, async (c) => {
    const { sessionId, callId } = c.req.valid('param')
    const { withReflection } = await sessionFor(c.get('caller'), sessionId, 'speak', services)
    const { personId: by } = c.get('caller')
    const decided = c.req.valid('json')
    const turn = await sessions.decide(sessionId, callId, { ...decided, by })
    watch(sessionId, turn)
    const what = decided.decision === 'refuse' ? 'call_refused' : 'call_approved'
    await audit.note(by, what, `${sessionId} ${callId}`, withReflection?.reflectionId)
    return c.json({ turnId: turn.turnId }, 202)
  })

  function watch(sessionId: SessionId, { turnId, ended }: SentMessage): void {
    ended?.then(
      (ending) => metrics.turns.inc({ stop_reason: ending }),
      (err: unknown) => logger.error({ err, sessionId, turnId }, 'turn could not be stored'),
    )
  }

  function streamOf(
    caller: Entrant,
    { session, mayStay }: EnteredSession,
    after: number,
    untilTurn?: string,
  ): Response {
    const source = (signal: AbortSignal) => {
      const all = sessions.events({ sessionId: session.id, after, signal })
      const events = caller.role === 'guest' ? toVisitorEvents(all) : all
      return untilTurn === undefined ? events : untilEndOf(untilTurn, events)
    }
    return streams.answer(caller, source, mayStay)
  }
}

const mediaFrom = ({ mediaType, data, name }: SentMedia) => ({
  mediaType,
  bytes: Buffer.from(data, 'base64'),
  ...(name !== undefined && { name }),
})

type SentMedia = NonNullable<SendMessage['media']>[number]

/** A turn's stream ends with the turn, or where it waits for a person. */
async function* untilEndOf(
  turnId: string,
  events: AsyncGenerator<SessionEvent>,
): AsyncGenerator<SessionEvent> {
  for await (const event of events) {
    yield event
    const isLast = event.type === 'session:turn_completed' || event.type === 'agent:approval_requested'
    if (isLast && event.turnId === turnId) return
  }
}

const neverTold = (after: number, last: number) =>
  new PlatformError('validation', {
    message: `No event of this session has the number ${after}: its last is ${last}. Read from 0, or from the last that you have seen.`,
  })

function startOf(lastEventId: string | undefined, after: number): number {
  if (lastEventId === undefined || lastEventId === '') return after
  const seen = Number(lastEventId)
  if (Number.isSafeInteger(seen) && seen >= 0 && seen <= MAX_SEQUENCE) return seen
  throw new PlatformError('validation', {
    message: `Last-Event-ID is the number of an event, not "${lastEventId}".`,
  })
}

/** The schema is of one frame's data; its id is the event's number, its name the event's type. */
const EVENT_STREAM = { 'text/event-stream': { schema: SessionEvent } }

const SEND = createRoute({
  method: 'post',
  path: '/v1/sessions/{sessionId}/messages',
  summary: 'Say something',
  description:
    'The message is stored when this answers. With `Accept: text/event-stream` the turn’s events follow.',
  request: {
    params: SessionRef,
    headers: z.object({ 'idempotency-key': IdempotencyKey.optional() }),
    body: body(SendMessage),
  },
  responses: {
    202: json(TurnAccepted, 'The turn that answers it'),
    200: { description: 'The turn’s events, until it ends', content: EVENT_STREAM },
    ...problems,
  },
})

const EVENTS = createRoute({
  method: 'get',
  path: '/v1/sessions/{sessionId}/events',
  summary: 'Listen to a session',
  description: `The stored events after \`Last-Event-ID\` (or \`after\`), then new events as they happen.

Text is sent in small \`agent:token\` and \`agent:reasoning\` events. When they are sent again, those of one run of text come joined: one event with the full text of the run, from the number \`fromSequence\` up to its \`sequenceNumber\`. A reader that reconnects in the middle of a run therefore gets text again that it already has. Apply each event by these rules, in order:

1. Ignore an event whose \`sequenceNumber\` you have seen.
2. If \`fromSequence\` (or \`sequenceNumber\`, where it is absent) is more than one above the last number you have seen, an event is missing: reconnect.
3. \`agent:token\` or \`agent:reasoning\` with \`fromSequence\`: remove all that this \`stepId\` said under numbers from \`fromSequence\` on, then add the event's text.
4. \`agent:token\` or \`agent:reasoning\` without \`fromSequence\`: add the event's text.
5. Any other event with \`fromSequence\`: remove all text that was said under numbers from \`fromSequence\` on; it was never stored.
6. \`agent:step_discarded\`: remove all that this \`stepId\` said.`,
  request: {
    params: SessionRef,
    headers: z.object({ 'last-event-id': z.string().optional() }),
    query: ReadEvents,
  },
  responses: { 200: { description: 'The events', content: EVENT_STREAM }, ...problems },
})

const CANCEL = createRoute({
  method: 'post',
  path: '/v1/sessions/{sessionId}/cancel',
  summary: 'Stop the running turn; what was said is kept',
  request: { params: SessionRef },
  responses: { 202: json(Cancelled, 'Whether a turn was running'), ...problems },
})

const RESUME = createRoute({
  method: 'post',
  path: '/v1/sessions/{sessionId}/resume',
  summary: 'Take up a session again',
  description:
    'A turn whose process died is ended. With `continue`, the last turn goes on from its last stored step, if it came to no answer; one that met the limit of steps has as many again. A session that has ended is not resumed.',
  request: { params: SessionRef, body: { content: { 'application/json': { schema: ResumeSession } } } },
  responses: {
    200: json(SessionView, 'The session'),
    202: json(TurnAccepted, 'The turn that goes on'),
    ...problems,
  },
})

const DECIDE = createRoute({
  method: 'post',
  path: '/v1/sessions/{sessionId}/approvals/{callId}',
  summary: 'Allow or refuse a call that waits for a person',
  request: { params: CallRef, body: body(DecideApproval) },
  responses: { 202: json(TurnAccepted, 'The turn that goes on'), ...problems },
})
