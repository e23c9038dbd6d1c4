import type {
  Agent,
  FsScopeTier,
  Health,
  HealthRange,
  JobRetried,
  PersonId,
  ProviderHealth,
  SessionContext,
} from '@parley/contracts'
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
  AgentCleanup,
  AskQuestion,
  ErrorReporter,
  OffRecord,
  ReflectionSessionStore,
  RetrieveForSession,
  VoiceAgents,
  ArtifactReader,
  AgentSync,
  ShareLinkStore,
  TranscriptStore,
  VoiceHost,
} from '@parley/reflections'
import type { Logger } from 'pino'
import type { Caller, CallerHost } from './auth/authenticate.ts'
import type { JwtIssuer } from './auth/jwt-verifier.ts'
import type { UploadLimits } from './limit-uploads.ts'
import type { Metrics } from './metrics.ts'
import type { VoiceSettings } from './reflections/voice-settings.ts'
import type { Webhook } from './reflections/webhook.ts'

/** Everything that the routes use. `compose.ts` builds it; tests replace parts of it. */
export interface Services extends CallerHost, Partial<VoiceServices> {
  readonly sessions: Sessions
  readonly store: SessionStore
  readonly offRecord: OffRecord
  readonly reflections: ReflectionStore
  /** The promoted artifacts of reflections, and their version history. */
  readonly runtime: ArtifactReader
  readonly askQuestion: AskQuestion
  /** The trusted issuer of JWTs, if there is one. */
  readonly jwtIssuer?: JwtIssuer
  readonly signIns: SignInStore
  readonly tokens: Pick<TokenStore, 'create' | 'list' | 'revoke' | 'findLabels'>
  readonly audit: ServerAudit
  readonly shareLinks: ShareLinkStore
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Aborts after so many milliseconds. */
  readonly deadline: (ms: number) => AbortSignal
  /** The store of sessions with reflections, spoken or typed. */
  readonly sessionRows: ReflectionSessionStore
  readonly publicScopes: Database['publicScopes']
  /** The transcripts of calls. */
  readonly transcripts: TranscriptStore
  readonly findReflectionRole: TokenStore['findReflectionRole']
  readonly retrieveForSession: RetrieveForSession
  /** The searches in sessions with reflections. */
  readonly citations: CitationStore
  /** Removes secrets from a text. */
  readonly mask: (text: string) => string
  /** Replaces the default limits of uploads. */
  readonly uploads?: UploadLimits
  /** Receives failed starts of sessions. */
  readonly errors: ErrorReporter
  readonly logger: Logger
  readonly metrics: Metrics
  /** Records the health of this process. */
  readonly recorder: HealthRecorder
  readonly health: HealthService
  readonly personSettings: PersonSettings
  readonly idempotency: IdempotencyStore
  /** Throws while the server cannot answer requests. */
  readonly ready: () => Promise<void>
  /** The agents of this server, by id. They may change while it runs. */
  readonly getAgents: () => ReadonlyMap<string, Agent>
  /** The agent of sessions that name none. Reflections use its model. */
  readonly getDefaultAgent: () => Agent
  /** The names of the MCP servers in the own config of this server. */
  readonly mcpServers: readonly string[]
  /** The default context of a person's sessions: a folder of their own. */
  readonly getDefaultContext: (person: PersonId) => Promise<SessionContext>
  /** The widest file access of any session, whoever starts it. */
  readonly widestTier: FsScopeTier
  /** Accepted host names besides localhost, such as those of a proxy. */
  readonly hosts: readonly string[]
  /** The URL of this server for links, if it is configured. */
  readonly publicUrl?: string
  /** The folder of the built console. */
  readonly consoleDir: string
  /** Different at each start of the server. */
  readonly instanceId: string
}

/** Absent on a server without a voice provider. */
interface VoiceServices {
  readonly voice: VoiceSettings
  readonly spoken: VoiceHost
  readonly webhook: Webhook
  readonly voiceAgents: VoiceAgents
  readonly agentSync: AgentSync
  readonly agentCleanup: AgentCleanup
}

/** The health of the server, for its admins. */
export interface HealthService {
  read(range: HealthRange, caller: Caller): Promise<Health>
  /** Checks the provider with a free call. */
  probe(provider: string): Promise<ProviderHealth>
  /** Queues a failed job again. */
  retryJob(jobId: string, caller: Caller): Promise<JobRetried>
}
