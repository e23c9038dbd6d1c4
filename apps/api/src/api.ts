import type { OpenAPIHono } from '@hono/zod-openapi'
import type { MemberRole, Reflection } from '@parley/contracts'
import type { MemberReach } from '@parley/knowledge'
import type { Entrant } from './auth/authenticate.ts'
import type { CalledFrom } from './reflections/reflection-tools.ts'

/** What every handler finds in its context. */
export interface ApiEnv {
  Bindings: {
    /** Of whoever is connected: the caller, or the proxy before us. */
    readonly address?: string | undefined
  }
  Variables: {
    requestId: string
    route: string
    caller: Entrant
    /** On routes of one reflection: it, and what the caller is to it. */
    reflection: Reflection
    memberRole: MemberRole
    /** Of a caller who does not reach everything of it. */
    reach: MemberReach | undefined
    /** On routes that the voice provider's agents call. */
    calledFrom: CalledFrom
  }
}

export type Api = OpenAPIHono<ApiEnv>
