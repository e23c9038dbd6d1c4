import { createRoute } from '@hono/zod-openapi'
import { ExportedWorkflow, SessionRef } from '@parley/contracts'
import { z } from 'zod'
import { problems } from './describe.ts'

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

export const READ_EXPORT = createRoute({
  ...exported,
  method: 'get',
  summary: 'The session as a workflow file, to look at or to save',
  description: 'With `Accept: application/json` the file comes together with what stands in it, read.',
})

export const EXPORT = createRoute({
  ...exported,
  method: 'post',
  summary: 'Export the session to a workflow file',
  description: 'The same bytes as by GET; that it was exported is told as `session:exported`.',
})
