import { createRoute } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { z } from 'zod'
import { ExportedWorkflow, type SessionId, SessionRef } from '@parley/contracts'
import { type ReflectionSession, isAtLeast, refuseWithoutTranscript } from '@parley/reflections'
import type { Api, ApiEnv } from '../api.ts'
import type { Caller } from '../auth/authenticate.ts'
import type { Services } from '../services.ts'
import { problems } from './describe.ts'
import { refuseOffRecord, sessionFor } from './session-for.ts'

/** A session as a workflow file: the same bytes as from a terminal. */
export function exportRoutes(app: Api, services: Services) {
  const { sessions, audit } = services
  const answer = async (c: Context<ApiEnv>, sessionId: SessionId) => {
    const caller = c.get('caller')
    await refuseOffRecord(caller, sessionId, 'read', services)
    const record = await sessionFor(caller, sessionId, 'read', services)
    await refuseWithoutTranscript(record.session, services)
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

const exported = {
  path: '/v1/sessions/{sessionId}/export',
  request: { params: SessionRef },
  responses: {
    200: {
      description:
        'A `.relavium.yaml` file: one agent node for each completed turn, the transcript in its metadata',
      content: {
        'application/yaml': { schema: z.string() },
        'application/json': { schema: ExportedWorkflow },
      },
    },
    ...problems,
  },
} as const

const READ_EXPORT = createRoute({
  ...exported,
  method: 'get',
  summary: 'The session as a workflow file, to look at or to save',
  description: 'With `Accept: application/json` the file comes together with what stands in it, read.',
})

const EXPORT = createRoute({
  ...exported,
  method: 'post',
  summary: 'Export the session to a workflow file',
  description: 'The same bytes as by GET; the session then has an event `session:exported`.',
})
