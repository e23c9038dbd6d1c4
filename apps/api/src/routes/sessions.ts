import type { Handlers } from './handlers.ts'
import { PlatformError, SessionView } from '@parley/contracts'
import { type AgentSessionRecord, readTurns, sessionView } from '@parley/engine'
import {
  type ReflectionSession,
  type SessionRoleHost,
  mayEnterSession,
  refuseBeyondReach,
  refuseWithoutTranscript,
} from '@parley/reflections'
import type { Caller } from '../auth/authenticate.ts'
import { reflectionSessionsOf } from '../reflections/reflection-sessions.ts'
import { describeReflectionSession } from '../reflections/session-details.ts'
import {
  findFailedStart,
  listFailedStarts,
  findUnrecordedSession,
} from '../reflections/unrecorded-sessions.ts'
import type { Services } from '../services.ts'
import { agentFor } from './agent-for.ts'
import { labelsOfOthers, listedSessions, refuseOthers, whoseSessions } from './listed-sessions.ts'
import { present } from './present.ts'
import { refuseOffRecord, sessionFor } from './session-for.ts'
import { startAny } from './start-any.ts'

/** A page of messages is at most about this long, unless one alone is longer. */
const PAGE_BYTES = 4_000_000

/** Sessions as a whole: start, find, read, end and remove them. */
export function sessionHandlers(services: Services) {
  const { sessions, store } = services
  const reflectionSessions = reflectionSessionsOf(services)

  return {
    startSession: async (c) =>
      c.json(await startAny(c.req.valid('json'), c.get('caller'), 'web', services), 201),

    listSessions: async (c) => {
      const asked = c.req.valid('query')
      const { whose, status, ...query } = asked
      const caller = c.get('caller')
      await refuseOthers(caller, whose, services)
      if (status === 'failed') return c.json(await listFailedStarts(caller, asked, services), 200)
      const page = await store.list({ ...present({ ...query, status }), ...whoseSessions(caller, whose) })
      return c.json({ ...page, items: await listedSessions(caller, page.items, services) }, 200)
    },

    getSession: async (c) => {
      const { sessionId } = c.req.valid('param')
      const failed = await findFailedStart(c.get('caller'), sessionId, services)
      if (failed) return c.json(failed, 200)
      const record = await sessionFor(c.get('caller'), sessionId, 'read', services)
      const { withReflection } = record
      const reflection = withReflection && (await describeReflectionSession(withReflection, services))
      const view = await viewFor(c.get('caller'), record, withReflection, services)
      return c.json({ ...view, ...(reflection && { reflection }) }, 200)
    },

    listMessages: async (c) => {
      const { sessionId } = c.req.valid('param')
      const { after, limit } = c.req.valid('query')
      const { session } = await sessionFor(c.get('caller'), sessionId, 'read', services)
      const items = await store.readMessages(sessionId, { after, limit, maxBytes: PAGE_BYTES })
      const last = items.at(-1)?.sequenceNumber
      const more = last !== undefined && last < session.messageCount
      return c.json({ items: [...items], ...(more && { nextCursor: String(last) }) }, 200)
    },

    listTurns: async (c) => {
      const { sessionId } = c.req.valid('param')
      await sessionFor(c.get('caller'), sessionId, 'read', services)
      return c.json(await readTurns(store, sessionId, c.req.valid('query').after), 200)
    },

    getMedia: async (c) => {
      const { sessionId, hash } = c.req.valid('param')
      await sessionFor(c.get('caller'), sessionId, 'read', services)
      const media = await store.getMedia(sessionId, `media://${hash}`)
      if (!media) throw new PlatformError('not_found', { message: `This session names no media ${hash}.` })
      // Somebody else's bytes under our address: a browser is to save them, not to run them.
      return c.body(new Uint8Array(media.bytes), 200, {
        'content-type': media.mediaType,
        'content-disposition': 'attachment',
        'cache-control': 'private, max-age=31536000, immutable',
      })
    },

    renameSession: async (c) => {
      const { sessionId } = c.req.valid('param')
      const record = await sessionFor(c.get('caller'), sessionId, 'speak', services)
      const { title } = c.req.valid('json')
      await sessions.rename(sessionId, title)
      return c.json(sessionView((await store.find(sessionId)) ?? record, { mayWrite: true }), 200)
    },

    removeSession: async (c) => {
      const { sessionId } = c.req.valid('param')
      await sessionFor(c.get('caller'), sessionId, 'end', services)
      await sessions.remove(sessionId)
      const removed = await services.reflectionSessions.find(sessionId)
      if (removed) await reflectionSessions.remove(removed, c.req.raw.signal)
      const { personId } = c.get('caller')
      await services.audit.note(personId, 'session_removed', sessionId, removed?.reflectionId)
      return c.body(null, 204)
    },

    endSession: async (c) => {
      const { sessionId } = c.req.valid('param')
      const unkept = await findUnrecordedSession(c.get('caller'), sessionId, services)
      const record = unkept ?? (await sessionFor(c.get('caller'), sessionId, 'end', services))
      if (!unkept) await sessions.end(sessionId)
      const ended = await services.reflectionSessions.find(sessionId)
      if (ended) await reflectionSessions.end(ended)
      await reflectionSessions.hangUp([sessionId])
      const now = (await store.find(sessionId)) ?? goneFor(c.get('caller'), record)
      return c.json(await viewFor(c.get('caller'), now, ended, services), 200)
    },

    compactSession: async (c) => {
      const { sessionId } = c.req.valid('param')
      await sessionFor(c.get('caller'), sessionId, 'speak', services)
      return c.json(await sessions.compact(sessionId), 200)
    },

    trimSession: async (c) => {
      const { sessionId } = c.req.valid('param')
      await sessionFor(c.get('caller'), sessionId, 'speak', services)
      return c.json(await sessions.trim(sessionId, c.req.valid('json').keep), 200)
    },

    forkSession: async (c) => {
      const caller = c.get('caller')
      const { sessionId } = c.req.valid('param')
      await refuseOffRecord(caller, sessionId, 'speak', services)
      const record = await sessionFor(caller, sessionId, 'speak', services)
      await refuseWithoutTranscript(record.session, services)
      const { session: past, withReflection } = record
      await refuseBeyondReach(withReflection, services)
      const named = c.req.valid('json')
      const isNamed = named.agent !== undefined || named.agentId !== undefined
      if (!isNamed && withReflection) throw agentNotReusable()
      const agent = isNamed ? agentFor(named, caller, services) : past.agentSnapshot
      const session = withReflection
        ? await reflectionSessions.fork(withReflection, agent)
        : await sessions.fork(sessionId, { ownerId: caller.personId, agent })
      return c.json(sessionView({ session, lastSequence: 1 }, { mayWrite: true }), 201)
    },
  } satisfies Partial<Handlers>
}

/** One off the record is gone once it has ended; what it was called is for its own person. */
function goneFor({ personId }: Caller, record: AgentSessionRecord): AgentSessionRecord {
  const { title, ...session } = record.session
  const isNamed = title !== undefined && session.ownerId === personId
  return { ...record, session: { ...session, status: 'ended', ...(isNamed && { title }) } }
}

/** Its prompt is the reflection's own, made for just that session. */
const agentNotReusable = () =>
  new PlatformError('validation', {
    message:
      'The agent of a reflection is made for one session. Name another by agentId, or start a new session with reflectionId.',
  })

/** A session as its reader sees it. Whoever may read a session without a reflection may also write in it. */
async function viewFor(
  caller: Caller,
  record: AgentSessionRecord,
  withReflection: ReflectionSession | undefined,
  host: SessionRoleHost & Pick<Services, 'tokens'>,
): Promise<SessionView> {
  const mayWrite = !withReflection || (await mayEnterSession(caller, withReflection, 'speak', host))
  const { ownerId } = record.session
  const ownerLabel = (await labelsOfOthers(caller, [ownerId], host)).get(ownerId)
  return { ...sessionView(record, { mayWrite }), ...(ownerLabel !== undefined && { ownerLabel }) }
}
