import type { Handlers } from './handlers.ts'
import { MAX_SEQUENCE, PlatformError, SendMessage, SessionEvent, type SessionId } from '@parley/contracts'
import { type SentMessage, sessionView } from '@parley/engine'
import { refuseOutdated, refuseWithoutTranscript } from '@parley/reflections'
import type { Entrant } from '../auth/authenticate.ts'
import { createEventStreams } from '../event-streams.ts'
import { toVisitorEvents } from '../reflections/visitor-events.ts'
import type { Services } from '../services.ts'
import { STREAM_HEADERS } from '../sse.ts'
import { type EnteredSession, refuseOffRecord, sessionFor } from './session-for.ts'

/** What happens in a session: say something, listen, cancel, go on, decide. */
export function turnHandlers(services: Services) {
  const { sessions, store, metrics, logger, findCaller, audit } = services
  const streams = createEventStreams({ readers: metrics.readers, findCaller })

  return {
    sendMessage: async (c) => {
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
      const turn = await sessions.send(
        sessionId,
        said,
        idempotencyKey === undefined ? {} : { idempotencyKey },
      )
      watch(sessionId, turn)
      if (isListening) return streamOf(caller, record, turn.firstSequence - 1, turn.turnId)
      return c.json({ turnId: turn.turnId }, 202)
    },

    streamEvents: async (c) => {
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
    },

    cancelTurn: async (c) => {
      const { sessionId } = c.req.valid('param')
      await sessionFor(c.get('caller'), sessionId, 'speak', services)
      return c.json({ cancelled: await sessions.cancel(sessionId) }, 202)
    },

    resumeSession: async (c) => {
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
    },

    decideApproval: async (c) => {
      const { sessionId, callId } = c.req.valid('param')
      const { withReflection } = await sessionFor(c.get('caller'), sessionId, 'speak', services)
      const { personId: by } = c.get('caller')
      const decided = c.req.valid('json')
      const turn = await sessions.decide(sessionId, callId, { ...decided, by })
      watch(sessionId, turn)
      const what = decided.decision === 'refuse' ? 'call_refused' : 'call_approved'
      await audit.note(by, what, `${sessionId} ${callId}`, withReflection?.reflectionId)
      return c.json({ turnId: turn.turnId }, 202)
    },
  } satisfies Partial<Handlers>

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
