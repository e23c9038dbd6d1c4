import { PlatformError, type SessionId } from '@parley/contracts'
import { narrowTools, sessionView } from '@parley/engine'
import type { Api } from '../api.ts'
import type { Services } from '../services.ts'
import { agentFor } from './agent-for.ts'
import { contextFor } from './context-for.ts'
import { sessionFor } from './session-for.ts'
import {
  COMPACT,
  END,
  FORK,
  GET,
  LIST,
  MEDIA,
  MESSAGES,
  REMOVE,
  RENAME,
  START,
  TRIM,
} from './session-routes-described.ts'

/** A page of messages is at most about this long, unless one alone is longer. */
const PAGE_BYTES = 4_000_000

/** Sessions as a whole: start, find, read, end and remove them. */
export function sessionRoutes(app: Api, services: Services) {
  const { sessions, store } = services
  const viewOf = async (sessionId: SessionId) => {
    const record = await store.find(sessionId)
    return record && sessionView(record)
  }

  app.openapi(START, async (c) => {
    const caller = c.get('caller')
    const { channel, title, context, tools, ...named } = c.req.valid('json')
    const standing = await services.contextOf(caller.personId)
    const session = await sessions.start({
      ownerId: caller.personId,
      channel,
      agent: narrowTools(agentFor(named, caller, services), tools),
      context: contextFor(context, caller, standing, services.widestTier),
      ...(title !== undefined && { title }),
    })
    return c.json(sessionView({ session, lastSequence: 1 }), 201)
  })

  app.openapi(LIST, async (c) => {
    const { limit, cursor, search } = c.req.valid('query')
    const { personId: ownerId } = c.get('caller')
    const page = await store.list({
      ownerId,
      limit,
      ...(cursor !== undefined && { cursor }),
      ...(search !== undefined && { search }),
    })
    return c.json({ ...page, items: page.items.map(sessionView) }, 200)
  })

  app.openapi(GET, async (c) => {
    return c.json(sessionView(await sessionFor(c.get('caller'), c.req.valid('param').sessionId, store)), 200)
  })

  app.openapi(MESSAGES, async (c) => {
    const { sessionId } = c.req.valid('param')
    const { after, limit } = c.req.valid('query')
    const { session } = await sessionFor(c.get('caller'), sessionId, store)
    const items = await store.readMessages(sessionId, { after, limit, maxBytes: PAGE_BYTES })
    const last = items.at(-1)?.sequenceNumber
    const more = last !== undefined && last < session.messageCount
    return c.json({ items: [...items], ...(more && { nextCursor: String(last) }) }, 200)
  })

  app.openapi(MEDIA, async (c) => {
    const { sessionId, hash } = c.req.valid('param')
    await sessionFor(c.get('caller'), sessionId, store)
    const media = await store.getMedia(sessionId, `media://${hash}`)
    if (!media) throw new PlatformError('not_found', { message: `This session names no media ${hash}.` })
    // Somebody else's bytes under our address: a browser is to save them, not to run them.
    return c.body(new Uint8Array(media.bytes), 200, {
      'content-type': media.mediaType,
      'content-disposition': 'attachment',
      'cache-control': 'private, max-age=31536000, immutable',
    })
  })

  app.openapi(RENAME, async (c) => {
    const { sessionId } = c.req.valid('param')
    const { session, ...record } = await sessionFor(c.get('caller'), sessionId, store)
    const { title } = c.req.valid('json')
    await sessions.rename(sessionId, title)
    return c.json((await viewOf(sessionId)) ?? sessionView({ ...record, session }), 200)
  })

  app.openapi(REMOVE, async (c) => {
    const { sessionId } = c.req.valid('param')
    await sessionFor(c.get('caller'), sessionId, store)
    await sessions.remove(sessionId)
    await services.audit.note(c.get('caller').personId, 'session_removed', sessionId)
    return c.body(null, 204)
  })

  app.openapi(END, async (c) => {
    const { sessionId } = c.req.valid('param')
    const record = await sessionFor(c.get('caller'), sessionId, store)
    await sessions.end(sessionId)
    return c.json((await viewOf(sessionId)) ?? sessionView(record), 200)
  })

  app.openapi(COMPACT, async (c) => {
    const { sessionId } = c.req.valid('param')
    await sessionFor(c.get('caller'), sessionId, store)
    return c.json(await sessions.compact(sessionId), 200)
  })

  app.openapi(TRIM, async (c) => {
    const { sessionId } = c.req.valid('param')
    await sessionFor(c.get('caller'), sessionId, store)
    return c.json(await sessions.trim(sessionId, c.req.valid('json').keep), 200)
  })

  app.openapi(FORK, async (c) => {
    const caller = c.get('caller')
    const { sessionId } = c.req.valid('param')
    const { session: past } = await sessionFor(caller, sessionId, store)
    const named = c.req.valid('json')
    const isNamed = named.agent !== undefined || named.agentId !== undefined
    const agent = isNamed ? agentFor(named, caller, services) : past.agentSnapshot
    const session = await sessions.fork(sessionId, { ownerId: caller.personId, agent })
    return c.json(sessionView({ session, lastSequence: 1 }), 201)
  })
}
