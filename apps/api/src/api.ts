import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Entrant } from './auth/authenticate.ts'

/** What every handler finds in its context. */
export interface ApiEnv {
  Variables: { requestId: string; route: string; caller: Entrant }
}

export type Api = OpenAPIHono<ApiEnv>
