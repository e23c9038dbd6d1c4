import type { Agent, FsScopeTier, PersonId, SessionContext } from '@parley/contracts'
import type { Sessions, SessionStore } from '@parley/engine'
import type { CitationStore, ReflectionStore } from '@parley/knowledge'
import type {
  Database,
  HealthRecorder,
  IdempotencyStore,
  PersonSettings,
  ServerAudit,
  SignInStore,
  TokenStore,
} from '@parley/postgres'
import type {
  ErrorReporter,
  ReflectionSessionStore,
  RuntimeAgents,
  RuntimeReader,
  ShareLinkStore,
  TranscriptStore,
  SpokenHost,
} from '@parley/reflections'
import type { Logger } from 'pino'
import type { CallerHost } from './auth/authenticate.ts'
import type { JwtIssuer } from './auth/jwt-verifier.ts'
import type { UploadBounds } from './bound-uploads.ts'
import type { HealthService } from './health/health-service.ts'
import type { Metrics } from './metrics.ts'
import type { Retrieve } from './retrieve-for.ts'
import type { OffRecord } from './reflections/off-record.ts'
import type { RetrieveForSession } from './reflections/retrieve-for-session.ts'
import type { VoiceSettings } from './reflections/voice-settings.ts'
import type { RuntimeSync } from './reflections/compose-sync.ts'
import type { Webhook } from './reflections/webhook.ts'

/** What the routes work with; `compose.ts` builds it, tests may build it otherwise. */
export interface Services extends CallerHost {
  readonly sessions: Sessions
  readonly store: SessionStore
  readonly offRecord: OffRecord
  readonly reflections: ReflectionStore
  /** What speaks for reflections, and how it came to. */
  readonly runtime: RuntimeReader
  readonly retrieve: Retrieve
  /** Whose JWTs are believed; absent where nobody's are. */
  readonly jwtIssuer?: JwtIssuer
  readonly signIns: SignInStore
  readonly tokens: Pick<TokenStore, 'create' | 'list' | 'revoke' | 'labelsOf'>
  readonly audit: ServerAudit
  readonly shareLinks: ShareLinkStore
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Aborts after so many milliseconds. */
  readonly deadline: (ms: number) => AbortSignal
  /** Sessions with reflections, spoken or typed. */
  readonly reflectionSessions: ReflectionSessionStore
  readonly publicScopes: Database['publicScopes']
  /** What was said in them. */
  readonly transcripts: TranscriptStore
  readonly roleOn: TokenStore['roleOn']
  readonly retrieveForSession: RetrieveForSession
  /** What was looked up in them. */
  readonly citations: CitationStore
  /** Takes out of a text what must not be shown. */
  readonly mask: (text: string) => string
  /** Absent where nothing is spoken. */
  readonly voice?: VoiceSettings
  readonly spoken?: SpokenHost
  readonly webhook?: Webhook
  /** Which agents of the provider serve; absent where nothing is spoken. */
  readonly runtimeAgents?: RuntimeAgents
  readonly runtimeSync?: RuntimeSync
  /** Others than the usual ones. */
  readonly uploads?: UploadBounds
  /** Told of sessions that did not start. */
  readonly errors: ErrorReporter
  readonly logger: Logger
  readonly metrics: Metrics
  /** Where this process notes how it fares. */
  readonly recorder: HealthRecorder
  readonly health: HealthService
  readonly personSettings: PersonSettings
  readonly idempotency: IdempotencyStore
  /** Throws while something that serving needs is missing. */
  readonly ready: () => Promise<void>
  readonly agents: ReadonlyMap<string, Agent>
  /** Who answers where nobody names an agent. */
  readonly defaultAgentId: string
  /** The names of the MCP servers in the own config of this server. */
  readonly mcpServers: readonly string[]
  /** Where a person's sessions work unless the owner says otherwise: a folder of their own. */
  readonly contextOf: (person: PersonId) => Promise<SessionContext>
  /** The widest tier that a session has here, whoever starts it. */
  readonly widestTier: FsScopeTier
  /** The names besides localhost by which this server may be called: those of a proxy before it. */
  readonly hosts: readonly string[]
  /** Where others reach this server; absent where nobody has said. */
  readonly publicUrl?: string
  /** The folder of the built console. */
  readonly consoleDir: string
  /** Tells this start of the server from every other. */
  readonly instanceId: string
}
