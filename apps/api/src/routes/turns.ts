import type { Handlers } from './register-endpoints.ts'
import { MAX_SEQUENCE, PlatformError, SendMessage, SessionEvent, type SessionId } from '@parley/contracts'
import { type SentMessage, toSessionView } from '@parley/engine'
import { type EnteredSession, enterSession, listWaitingApprovals, toVisitorEvents } from '@parley/reflections'
import type { Entrant } from '../auth/authenticate.ts'
import { createEventStreams } from '../event-streams.ts'
import type { Services } from '../services.ts'
import { STREAM_HEADERS } from '../sse.ts'

/** The turns of a session: send, stream, cancel, resume, decide on approvals. */
export function createTurnHandlers(services: Services) {
  const { sessions, store, metrics, logger, findCaller, audit } = services
  const streams = createEventStreams({ readers: metrics.readers, findCaller })

  return {
    sendMessage: async (c) => {
      const { sessionId } = c.req.valid('param')
      const { text, media = [] } = c.req.valid('json')
      const { 'idempotency-key': idempotencyKey } = c.req.valid('header')
      const caller = c.get('caller')
      const isListening = c.req.header('accept')?.includes('text/event-stream')
      const record = await enterSession(caller, sessionId, 'send', services)
      if (isListening) streams.refuseAtLimit(caller)
      const message = { text, media: media.map(toMedia) }
      const turn = await sessions.send(
        sessionId,
        message,
        idempotencyKey === undefined ? {} : { idempotencyKey },
      )
      watch(sessionId, turn)
      if (isListening) return streamOf(caller, record, turn.firstSequence - 1, turn.turnId)
      return c.json({ turnId: turn.turnId }, 202)
    },

    streamEvents: async (c) => {
      const { sessionId } = c.req.valid('param')
      const caller = c.get('caller')
      const record = await enterSession(caller, sessionId, 'read', services)
      const { lastSequence, openTurn } = record
      const after = readStartNumber(c.req.valid('header')['last-event-id'], c.req.valid('query').after)
      // An open turn may have sent more events than are stored.
      if (after > lastSequence && !openTurn) throw createNoSuchEventError(after, lastSequence)
      if (c.req.method === 'HEAD') return c.body(null, 200, STREAM_HEADERS)
      return streamOf(caller, record, after)
    },

    cancelTurn: async (c) => {
      const { sessionId } = c.req.valid('param')
      await enterSession(c.get('caller'), sessionId, 'write', services)
      return c.json({ cancelled: await sessions.cancel(sessionId) }, 202)
    },

    resumeSession: async (c) => {
      const { sessionId } = c.req.valid('param')
      const record = await enterSession(c.get('caller'), sessionId, 'resume', services)
      if (c.req.valid('json').continue) {
        const turn = await sessions.continue(sessionId)
        watch(sessionId, turn)
        return c.json({ turnId: turn.turnId }, 202)
      }
      await sessions.settle(sessionId)
      return c.json(toSessionView((await store.find(sessionId)) ?? record, { mayWrite: true }), 200)
    },

    decideApproval: async (c) => {
      const { sessionId, callId } = c.req.valid('param')
      const { row } = await enterSession(c.get('caller'), sessionId, 'write', services)
      const { personId: by } = c.get('caller')
      const decided = c.req.valid('json')
      const turn = await sessions.decide(sessionId, callId, { ...decided, by })
      watch(sessionId, turn)
      const what = decided.decision === 'refuse' ? 'call_refused' : 'call_approved'
      await audit.record(by, what, `${sessionId} ${callId}`, row?.reflectionId)
      return c.json({ turnId: turn.turnId }, 202)
    },

    listApprovals: async (c) => c.json(await listWaitingApprovals(c.get('caller'), services), 200),
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
      const all = sessions.streamEvents({ sessionId: session.id, after, signal })
      const events = caller.role === 'guest' ? toVisitorEvents(all) : all
      return untilTurn === undefined ? events : readUntilTurnEnds(untilTurn, events)
    }
    return streams.answer(caller, source, mayStay)
  }
}

const toMedia = ({ mediaType, data, name }: SentMedia) => ({
  mediaType,
  bytes: Buffer.from(data, 'base64'),
  ...(name !== undefined && { name }),
})

type SentMedia = NonNullable<SendMessage['media']>[number]

/** The stream of a turn ends with the turn, or when it waits for an approval. */
async function* readUntilTurnEnds(
  turnId: string,
  events: AsyncGenerator<SessionEvent>,
): AsyncGenerator<SessionEvent> {
  for await (const event of events) {
    yield event
    const isLast = event.type === 'session:turn_completed' || event.type === 'agent:approval_requested'
    if (isLast && event.turnId === turnId) return
  }
}

const createNoSuchEventError = (after: number, last: number) =>
  new PlatformError('validation', {
    message: `This session has no event ${after}: its last is ${last}. Read after 0 or after the last event that you have.`,
  })

function readStartNumber(lastEventId: string | undefined, after: number): number {
  if (lastEventId === undefined || lastEventId === '') return after
  const seen = Number(lastEventId)
  if (Number.isSafeInteger(seen) && seen >= 0 && seen <= MAX_SEQUENCE) return seen
  throw new PlatformError('validation', {
    message: `Last-Event-ID is the number of an event, not "${lastEventId}".`,
  })
}
