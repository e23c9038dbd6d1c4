import type { SessionId } from '@parley/contracts'
import type { Context } from 'hono'
import type { Api, ApiEnv } from '../api.ts'
import type { Services } from '../services.ts'
import { EXPORT, READ_EXPORT } from './export-routes-described.ts'
import { sessionFor } from './session-for.ts'

/** A session as a workflow file: the same bytes as from a terminal. */
export function exportRoutes(app: Api, { sessions, store, audit }: Services) {
  const answer = async (c: Context<ApiEnv>, sessionId: SessionId) => {
    await sessionFor(c.get('caller'), sessionId, store)
    const { workflow, yaml } = await sessions.exported(sessionId)
    await audit.note(c.get('caller').personId, 'session_exported', sessionId)
    return c.body(yaml, 200, {
      'content-type': 'application/yaml; charset=utf-8',
      'content-disposition': `attachment; filename="${workflow.id}.relavium.yaml"`,
    })
  }
  app.openapi(READ_EXPORT, (c) => answer(c, c.req.valid('param').sessionId))
  app.openapi(EXPORT, async (c) => {
    const { sessionId } = c.req.valid('param')
    const exported = await answer(c, sessionId)
    await sessions.noteExport(sessionId)
    return exported
  })
}
