import type { Handlers } from './handlers.ts'
import { PlatformError } from '@parley/contracts'
import { readTurns, toSessionView } from '@parley/engine'
import {
  chooseAgent,
  describeReflectionSession,
  endedRecord,
  enterSession,
  findFailedStart,
  findUnrecordedSession,
  listFailedStarts,
  listSessions,
  refuseBeyondReach,
  refuseOffRecord,
  refuseOthersSessions,
  refuseWithoutTranscript,
  sessionScope,
  startAnySession,
  viewSession,
} from '@parley/reflections'
import { reflectionHost, reflectionSessionsOf } from '../reflections/reflection-sessions.ts'
import type { Services } from '../services.ts'
import { present } from './present.ts'

/** The approximate limit of a page of messages. A single message may be longer. */
const PAGE_BYTES = 4_000_000

/** Sessions: start, list, read, end, fork and remove them. */
export function sessionHandlers(services: Services) {
  const { sessions, store } = services
  const reflectionSessions = reflectionSessionsOf(services)

  return {
    startSession: async (c) => {
      const host = reflectionHost(services)
      return c.json(await startAnySession(c.req.valid('json'), c.get('caller'), 'web', host), 201)
    },

    listSessions: async (c) => {
      const request = c.req.valid('query')
      const { whose, status, ...query } = request
      const caller = c.get('caller')
      await refuseOthersSessions(caller, whose, services)
      if (status === 'failed') return c.json(await listFailedStarts(caller, request, services), 200)
      const page = await store.list({ ...present({ ...query, status }), ...sessionScope(caller, whose) })
      return c.json({ ...page, items: await listSessions(caller, page.items, services) }, 200)
    },

    getSession: async (c) => {
      const { sessionId } = c.req.valid('param')
      const failed = await findFailedStart(c.get('caller'), sessionId, services)
      if (failed) return c.json(failed, 200)
      const record = await enterSession(c.get('caller'), sessionId, 'read', services)
      const { withReflection } = record
      const reflection = withReflection && (await describeReflectionSession(withReflection, services))
      const view = await viewSession(c.get('caller'), record, withReflection, services)
      return c.json({ ...view, ...(reflection && { reflection }) }, 200)
    },

    listMessages: async (c) => {
      const { sessionId } = c.req.valid('param')
      const { after, limit } = c.req.valid('query')
      const { session } = await enterSession(c.get('caller'), sessionId, 'read', services)
      const items = await store.readMessages(sessionId, { after, limit, maxBytes: PAGE_BYTES })
      const last = items.at(-1)?.sequenceNumber
      const more = last !== undefined && last < session.messageCount
      return c.json({ items: [...items], ...(more && { nextCursor: String(last) }) }, 200)
    },

    listTurns: async (c) => {
      const { sessionId } = c.req.valid('param')
      await enterSession(c.get('caller'), sessionId, 'read', services)
      return c.json(await readTurns(store, sessionId, c.req.valid('query').after), 200)
    },

    getMedia: async (c) => {
      const { sessionId, hash } = c.req.valid('param')
      await enterSession(c.get('caller'), sessionId, 'read', services)
      const media = await store.getMedia(sessionId, `media://${hash}`)
      if (!media) throw new PlatformError('not_found', { message: `This session names no media ${hash}.` })
      // Untrusted bytes under our own origin: a browser must save them, not run them.
      return c.body(new Uint8Array(media.bytes), 200, {
        'content-type': media.mediaType,
        'content-disposition': 'attachment',
        'cache-control': 'private, max-age=31536000, immutable',
      })
    },

    renameSession: async (c) => {
      const { sessionId } = c.req.valid('param')
      const record = await enterSession(c.get('caller'), sessionId, 'speak', services)
      const { title } = c.req.valid('json')
      await sessions.rename(sessionId, title)
      return c.json(toSessionView((await store.find(sessionId)) ?? record, { mayWrite: true }), 200)
    },

    removeSession: async (c) => {
      const { sessionId } = c.req.valid('param')
      await enterSession(c.get('caller'), sessionId, 'end', services)
      await sessions.remove(sessionId)
      const removed = await services.reflectionSessions.find(sessionId)
      if (removed) await reflectionSessions.remove(removed, c.req.raw.signal)
      const { personId } = c.get('caller')
      await services.audit.note(personId, 'session_removed', sessionId, removed?.reflectionId)
      return c.body(null, 204)
    },

    endSession: async (c) => {
      const { sessionId } = c.req.valid('param')
      const unrecorded = await findUnrecordedSession(c.get('caller'), sessionId, services)
      const record = unrecorded ?? (await enterSession(c.get('caller'), sessionId, 'end', services))
      if (!unrecorded) await sessions.end(sessionId)
      const ended = await services.reflectionSessions.find(sessionId)
      if (ended) await reflectionSessions.end(ended)
      await reflectionSessions.hangUp([sessionId])
      const now = (await store.find(sessionId)) ?? endedRecord(c.get('caller'), record)
      return c.json(await viewSession(c.get('caller'), now, ended, services), 200)
    },

    compactSession: async (c) => {
      const { sessionId } = c.req.valid('param')
      await enterSession(c.get('caller'), sessionId, 'speak', services)
      return c.json(await sessions.compact(sessionId), 200)
    },

    trimSession: async (c) => {
      const { sessionId } = c.req.valid('param')
      await enterSession(c.get('caller'), sessionId, 'speak', services)
      return c.json(await sessions.trim(sessionId, c.req.valid('json').keep), 200)
    },

    forkSession: async (c) => {
      const caller = c.get('caller')
      const { sessionId } = c.req.valid('param')
      await refuseOffRecord(caller, sessionId, 'speak', services)
      const record = await enterSession(caller, sessionId, 'speak', services)
      await refuseWithoutTranscript(record.session, services)
      const { session: past, withReflection } = record
      await refuseBeyondReach(withReflection, services)
      const named = c.req.valid('json')
      const isNamed = named.agent !== undefined || named.agentId !== undefined
      if (!isNamed && withReflection) throw agentNotReusable()
      const agent = isNamed ? chooseAgent(named, caller, services) : past.agentSnapshot
      const session = withReflection
        ? await reflectionSessions.fork(withReflection, agent)
        : await sessions.fork(sessionId, { ownerId: caller.personId, agent })
      return c.json(toSessionView({ session, lastSequence: 1 }, { mayWrite: true }), 201)
    },
  } satisfies Partial<Handlers>
}

/** The agent of a reflection holds the prompt of just that session. */
const agentNotReusable = () =>
  new PlatformError('validation', {
    message:
      'The agent of a reflection is made for one session. Name another by agentId, or start a new session with reflectionId.',
  })
