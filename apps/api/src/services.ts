import type { Agent, FsScopeTier, PersonId, SessionContext } from '@parley/contracts'
import type { Sessions, SessionStore } from '@parley/engine'
import type { ReflectionStore } from '@parley/knowledge'
import type { ServerAudit, TokenStore } from '@parley/postgres'
import type { Logger } from 'pino'
import type { FindCaller } from './auth/authenticate.ts'
import type { UploadBounds } from './bound-uploads.ts'
import type { Metrics } from './metrics.ts'
import type { Retrieve } from './retrieve-for.ts'

/** What the routes work with; `compose.ts` builds it, tests may build it otherwise. */
export interface Services {
  readonly sessions: Sessions
  readonly store: SessionStore
  readonly reflections: ReflectionStore
  readonly retrieve: Retrieve
  readonly findCaller: FindCaller
  readonly tokens: Pick<TokenStore, 'create' | 'list' | 'revoke'>
  readonly audit: ServerAudit
  /** Others than the usual ones. */
  readonly uploads?: UploadBounds
  readonly logger: Logger
  readonly metrics: Metrics
  /** Throws while something that serving needs is missing. */
  readonly ready: () => Promise<void>
  readonly agents: ReadonlyMap<string, Agent>
  /** Who answers where nobody names an agent. */
  readonly defaultAgentId: string
  /** Where a person's sessions work unless the owner says otherwise: a folder of their own. */
  readonly contextOf: (person: PersonId) => Promise<SessionContext>
  /** The widest tier that a session has here, whoever starts it. */
  readonly widestTier: FsScopeTier
  /** The names besides localhost by which this server may be called: those of a proxy before it. */
  readonly hosts: readonly string[]
  /** The folder of the built console. */
  readonly consoleDir: string
  /** Tells this start of the server from every other. */
  readonly instanceId: string
}
