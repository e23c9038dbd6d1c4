import type { Handlers } from './handlers.ts'
import type { Context } from 'hono'
import type { SessionId } from '@parley/contracts'
import { exportAnySession } from '@parley/reflections'
import type { ApiEnv } from '../api-env.ts'
import { toReflectionHost } from '../reflections/reflection-host.ts'
import type { Services } from '../services.ts'

/** Exports of sessions, as workflow files. */
export function createExportHandlers(services: Services) {
  const { sessions } = services
  const host = toReflectionHost(services)
  const answer = async (c: Context<ApiEnv>, sessionId: SessionId) => {
    const { workflow, yaml } = await exportAnySession(c.get('caller'), sessionId, host)
    const fileName = `${workflow.id}.relavium.yaml`
    if (c.req.header('accept')?.includes('application/json')) return c.json({ fileName, yaml, workflow }, 200)
    return c.body(yaml, 200, {
      'content-type': 'application/yaml; charset=utf-8',
      'content-disposition': `attachment; filename="${fileName}"`,
    })
  }

  return {
    readExport: (c) => answer(c, c.req.valid('param').sessionId),

    exportSession: async (c) => {
      const { sessionId } = c.req.valid('param')
      const exported = await answer(c, sessionId)
      await sessions.recordExport(sessionId)
      return exported
    },
  } satisfies Partial<Handlers>
}
