import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Endpoint, MemberRole, Reflection } from '@parley/contracts'
import type { CallOrigin, WritableReach } from '@parley/reflections'
import type { Entrant } from './auth/authenticate.ts'

/** The context of every handler. */
export interface ApiEnv {
  Bindings: {
    /** The address of the connection: the caller's or a proxy's. */
    readonly address?: string | undefined
  }
  Variables: {
    requestId: string
    /** Absent for requests of the console's files. */
    endpoint: Endpoint | undefined
    caller: Entrant
    /** On routes of one reflection, with the caller's role on it. */
    reflection: Reflection
    memberRole: MemberRole
    /** Set for a caller who does not reach everything of it. */
    reach: WritableReach | undefined
    /** On the routes of tools. */
    callOrigin: CallOrigin
  }
}

export type Api = OpenAPIHono<ApiEnv>
