import type { Handlers } from './handlers.ts'
import type { Context } from 'hono'
import type { SessionId } from '@parley/contracts'
import { enterSession, mayExportAgent, refuseOffRecord, refuseWithoutTranscript } from '@parley/reflections'
import type { ApiEnv } from '../api-env.ts'
import type { Services } from '../services.ts'

/** A session as a workflow file: the same bytes as from a terminal. */
export function createExportHandlers(services: Services) {
  const { sessions, audit } = services
  const answer = async (c: Context<ApiEnv>, sessionId: SessionId) => {
    const caller = c.get('caller')
    await refuseOffRecord(caller, sessionId, 'read', services)
    const record = await enterSession(caller, sessionId, 'read', services)
    await refuseWithoutTranscript(record.session, services)
    const { withReflection } = record
    const isWithAgent = await mayExportAgent(caller, withReflection, services)
    const { workflow, yaml } = await sessions.exportSession(
      sessionId,
      isWithAgent ? 'with-agent' : 'without-agent',
    )
    await audit.record(caller.personId, 'session_exported', sessionId, withReflection?.reflectionId)
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
