import type { SessionId } from '@parley/contracts'
import type { ReflectionSession } from '@parley/reflections'
import type { Context } from 'hono'
import type { Api, ApiEnv } from '../api.ts'
import type { Caller } from '../auth/authenticate.ts'
import { isAtLeast } from '../auth/is-at-least.ts'
import type { Services } from '../services.ts'
import { refuseOffRecord } from '../voice/refuse-off-record.ts'
import { refuseUnheard } from '../voice/refuse-unheard.ts'
import { EXPORT, READ_EXPORT } from './export-routes-described.ts'
import { sessionFor } from './session-for.ts'

/** A session as a workflow file: the same bytes as from a terminal. */
export function exportRoutes(app: Api, services: Services) {
  const { sessions, audit } = services
  const answer = async (c: Context<ApiEnv>, sessionId: SessionId) => {
    const caller = c.get('caller')
    await refuseOffRecord(caller, sessionId, 'read', services)
    const record = await sessionFor(caller, sessionId, 'read', services)
    await refuseUnheard(record, services)
    const { withReflection } = record
    const { workflow, yaml } = await sessions.exported(
      sessionId,
      await agentIn(withReflection, caller, services),
    )
    await audit.note(caller.personId, 'session_exported', sessionId, withReflection?.reflectionId)
    const fileName = `${workflow.id}.relavium.yaml`
    if (c.req.header('accept')?.includes('application/json')) return c.json({ fileName, yaml, workflow }, 200)
    return c.body(yaml, 200, {
      'content-type': 'application/yaml; charset=utf-8',
      'content-disposition': `attachment; filename="${fileName}"`,
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

/** The agent of a reflection holds its private prompt, which is for its admins. */
async function agentIn(
  session: ReflectionSession | undefined,
  { personId }: Caller,
  { roleOn }: Services,
): Promise<'with-agent' | 'without-agent'> {
  if (!session) return 'with-agent'
  const role = await roleOn(session.reflectionId, personId)
  return role && isAtLeast(role, 'admin') ? 'with-agent' : 'without-agent'
}
