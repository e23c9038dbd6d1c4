import { type Handlers, omitUndefined } from './register-endpoints.ts'
import type { Context } from 'hono'
import { PlatformError, type SessionId } from '@parley/contracts'
import { readTurnPage, toSessionView } from '@parley/engine'
import {
  describeReflectionSession,
  endAnySession,
  enterSession,
  exportAnySession,
  findFailedStart,
  forkAnySession,
  listFailedStarts,
  describeListed,
  readCitations,
  removeAnySession,
  refuseOthersSessions,
  createSessionScope,
  startAnySession,
  viewSession,
} from '@parley/reflections'
import type { ApiEnv } from '../api-env.ts'
import { toReflectionHost } from '../reflections/reflection-host.ts'
import type { Services } from '../services.ts'

/** The approximate limit of a page of messages. A single message may be longer. */
const PAGE_BYTES = 4_000_000

/** Sessions: start, list, read, end, fork, export and remove them. */
export function createSessionHandlers(services: Services) {
  const { sessions, store } = services
  const host = toReflectionHost(services)
  const answerExport = async (c: Context<ApiEnv>, sessionId: SessionId) => {
    const { workflow, yaml } = await exportAnySession(c.get('caller'), sessionId, host)
    const fileName = `${workflow.id}.relavium.yaml`
    if (c.req.header('accept')?.includes('application/json')) return c.json({ fileName, yaml, workflow }, 200)
    return c.body(yaml, 200, {
      'content-type': 'application/yaml; charset=utf-8',
      'content-disposition': `attachment; filename="${fileName}"`,
    })
  }

  return {
    startSession: async (c) => {
      return c.json(await startAnySession(c.req.valid('json'), c.get('caller'), 'web', host), 201)
    },

    listSessions: async (c) => {
      const request = c.req.valid('query')
      const { whose, status, ...query } = request
      const caller = c.get('caller')
      await refuseOthersSessions(caller, whose, services)
      if (status === 'failed') return c.json(await listFailedStarts(caller, request, services), 200)
      const page = await store.list({
        ...omitUndefined({ ...query, status }),
        ...createSessionScope(caller, whose),
      })
      return c.json({ ...page, items: await describeListed(caller, page.items, services) }, 200)
    },

    getSession: async (c) => {
      const { sessionId } = c.req.valid('param')
      const failed = await findFailedStart(c.get('caller'), sessionId, services)
      if (failed) return c.json(failed, 200)
      const record = await enterSession(c.get('caller'), sessionId, 'read', services)
      const { row } = record
      const reflection = row && (await describeReflectionSession(row, services))
      const view = await viewSession(c.get('caller'), record, row, services)
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

    listCitations: async (c) => {
      const { sessionId } = c.req.valid('param')
      const { after, limit } = c.req.valid('query')
      const caller = c.get('caller')
      const { row } = await enterSession(caller, sessionId, 'read', services)
      const range = { after, limit: limit + 1 }
      const found = row ? await readCitations(row, caller.personId, range, services) : []
      const items = found.slice(0, limit)
      const last = items.at(-1)
      return c.json({ items, ...(last && found.length > limit && { nextCursor: String(last.number) }) }, 200)
    },

    listTurns: async (c) => {
      const { sessionId } = c.req.valid('param')
      await enterSession(c.get('caller'), sessionId, 'read', services)
      return c.json(await readTurnPage(store, sessionId, c.req.valid('query').after), 200)
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
      const record = await enterSession(c.get('caller'), sessionId, 'write', services)
      const { title } = c.req.valid('json')
      await sessions.rename(sessionId, title)
      return c.json(toSessionView((await store.find(sessionId)) ?? record, { mayWrite: true }), 200)
    },

    removeSession: async (c) => {
      const { sessionId } = c.req.valid('param')
      await removeAnySession(c.get('caller'), sessionId, host, c.req.raw.signal)
      return c.body(null, 204)
    },

    endSession: async (c) => {
      const { sessionId } = c.req.valid('param')
      return c.json(await endAnySession(c.get('caller'), sessionId, host), 200)
    },

    compactSession: async (c) => {
      const { sessionId } = c.req.valid('param')
      await enterSession(c.get('caller'), sessionId, 'write', services)
      return c.json(await sessions.compact(sessionId), 200)
    },

    trimSession: async (c) => {
      const { sessionId } = c.req.valid('param')
      await enterSession(c.get('caller'), sessionId, 'write', services)
      return c.json(await sessions.trim(sessionId, c.req.valid('json').keep), 200)
    },

    forkSession: async (c) => {
      const { sessionId } = c.req.valid('param')
      return c.json(await forkAnySession(c.get('caller'), sessionId, c.req.valid('json'), host), 201)
    },

    readExport: (c) => answerExport(c, c.req.valid('param').sessionId),

    exportSession: async (c) => {
      const { sessionId } = c.req.valid('param')
      const exported = await answerExport(c, sessionId)
      await sessions.recordExport(sessionId)
      return exported
    },
  } satisfies Partial<Handlers>
}
