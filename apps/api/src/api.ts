import type { OpenAPIHono } from '@hono/zod-openapi'
import type { MemberRole, Reflection } from '@parley/contracts'
import type { Entrant } from './auth/authenticate.ts'

/** What every handler finds in its context. */
export interface ApiEnv {
  Variables: {
    requestId: string
    route: string
    caller: Entrant
    /** On routes of one reflection: it, and what the caller is to it. */
    reflection: Reflection
    memberRole: MemberRole
  }
}

export type Api = OpenAPIHono<ApiEnv>
