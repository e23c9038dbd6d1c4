import { randomFillSync, randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { type Agent, PlatformError, type RetrievalResult } from '@parley/contracts'
import {
  type ModelPort,
  type Secret,
  type SessionLimits,
  createIdSource,
  createRunEventBus,
  createSessions,
  maskSecrets,
} from '@parley/engine'
import { type Embedder, createMaskedEmbedder } from '@parley/knowledge'
import { type ProviderSettings, createProviders, offlineAgent, openAgentModel } from '@parley/llm'
import {
  type Database,
  type HealthRecorder,
  createHealthRecorder,
  openDatabase,
  watchModel,
} from '@parley/postgres'
import {
  type AskQuestion,
  type RetrieveForSession,
  createVisitorLimits,
  findVisitor,
} from '@parley/reflections'
import { type ToolPolicy, type Toolbox, createToolbox } from '@parley/tools'
import { type JwtIssuer, createJwtVerifier } from './auth/jwt-verifier.ts'
import { composeHealth } from './health/compose-health.ts'
import { watchProvider } from './health/watch-provider.ts'
import { watchStore } from './health/watch-store.ts'
import { createMetrics } from './metrics.ts'
import { composeAskQuestion } from './reflections/compose-retrieval.ts'
import { composeSpoken, composeSessionServices, composeTyped } from './reflections/compose-sessions.ts'
import { composeSync } from './reflections/compose-sync.ts'
import { type ErrorReports, createErrorReports } from './reflections/error-reports.ts'
import type { VoiceSettings } from './reflections/voice-settings.ts'
import type { Services } from './services.ts'

export interface ComposedServices {
  readonly services: Services
  readonly database: Database
  readonly toolbox: Toolbox
  readonly errors: ErrorReports
}

export interface ComposeOptions {
  readonly databaseUrl: string
  readonly home: string
  readonly logger: Logger
  /** Accepted host names besides localhost. */
  readonly hosts?: readonly string[]
  /** The URL of the server, for links. */
  readonly publicUrl?: string
  /** The models of this server. It is called each time, since the config may change while the server runs. */
  readonly readServedModels?: () => Partial<ServedModels>
  readonly limits?: Partial<SessionLimits>
  /** The policy for tools of all sessions. Without it tools only reach files in `workspace` of the data folder. */
  readonly toolPolicy?: Partial<ToolPolicy>
  /** The environment; child processes get a subset. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** The values that are masked everywhere. */
  readonly secrets?: () => readonly Secret[]
  /** The value of a secret that config names. */
  readonly findSecret?: (name: string) => string | undefined
  /** Embeds questions, if the database has vectors of chunks. */
  readonly embedder?: Embedder
  /** Replaces the providers. Throws if an agent's model is not available. */
  readonly getModel?: (agent: Agent) => ModelPort
  /** Without it the server has no voice provider. */
  readonly voice?: VoiceSettings
  /** Without it failures are only logged. */
  readonly sentryDsn?: string
  /** The trusted issuer of JWTs. */
  readonly jwtIssuer?: JwtIssuer
}

/** Returns the same object until the lists change. */
interface ServedModels {
  readonly providers: readonly ProviderSettings[]
  /** The agent of sessions that name none. */
  readonly defaultAgent: Agent
  /** The other agents that sessions may name. */
  readonly agents: readonly Agent[]
}

/** Builds the services of the routes on a migrated database. */
export async function compose({
  databaseUrl,
  home,
  logger,
  hosts = [],
  publicUrl,
  readServedModels = () => NOTHING_CONFIGURED,
  limits = {},
  toolPolicy = {},
  environment = {},
  secrets = () => [],
  findSecret = () => undefined,
  embedder,
  getModel: givenGetModel,
  voice: givenVoice,
  sentryDsn,
  jwtIssuer,
}: ComposeOptions): Promise<ComposedServices> {
  const policy: ToolPolicy = { ...DEFAULT_TOOL_POLICY, root: join(home, 'workspace'), ...toolPolicy }
  const workspace = await makeWorkspace(policy.root ?? join(home, 'workspace'))
  const opened = await openDatabase({ databaseUrl, onError: (err) => logger.error({ err }, 'database') })
  const recorder = createHealthRecorder({
    log: opened.health,
    kind: 'api',
    onError: (err) => logger.warn({ err }, 'the health of this process could not be recorded'),
  })
  const database = { ...opened, sessions: watchStore(opened.sessions, recorder) }
  const settings = () => readServedModels().providers ?? OFFLINE_PROVIDERS
  const providers = recomputeOnChange(settings, (now) => createProviders(now))
  const defaultAgent = () => readServedModels().defaultAgent ?? offlineAgent
  const agents = recomputeOnChange(
    readServedModels,
    ({ agents: own = [] }) =>
      new Map([...own, defaultAgent(), offlineAgent].map((agent) => [agent.id, agent])),
  )
  const mask = (text: string) => maskSecrets(text, secrets())
  const voice = givenVoice && {
    ...givenVoice,
    provider: watchProvider(givenVoice.provider, recorder, mask),
  }
  const getModel = (agent: Agent) => {
    const model = givenGetModel?.(agent) ?? openAgentModel(providers(), agent, refuseModel(agent))
    const coolsUntil = () => providers().findCoolDownEnd(model.provider, model.modelId)
    return watchModel(model, { health: recorder, coolsUntil, mask })
  }
  const toolbox = createToolbox({
    loadPolicy: () => policy,
    home,
    environment,
    secrets,
    findSecret,
    createHandle: (bytes) => database.sessions.toMediaHandle(bytes),
    ownServersOnly: true,
  })
  const vectors = {
    ...(embedder && { embedder: createMaskedEmbedder(embedder, mask) }),
    onVectorFailure: (err: unknown) => logger.warn({ err }, 'a question was answered without vectors'),
  }
  const searchTimer = createSearchTimer(recorder)
  const composedServices = composeSessionServices({ database, vectors, home, logger, mask, voice })
  const sessionServices = {
    ...composedServices,
    retrieveForSession: searchTimer.timedForSession(composedServices.retrieveForSession),
  }
  const { offRecord, getTools } = composeTyped({
    database,
    toolbox,
    secrets,
    services: sessionServices,
    sessions: () => sessions,
  })
  const { store } = offRecord
  const sessions = createSessions({
    store,
    eventBus: createRunEventBus({ otherProcesses: { relay: database.relay, store } }),
    clock: Date,
    ids: createIdSource(randomFillSync),
    getModel,
    getTools,
    secrets,
    limits,
    getSessionLimits: createVisitorLimits(database.shareLinks, Date.now),
  })
  const sync = composeSync({ database, logger, voice, webhook: sessionServices.webhook })
  const errors = createErrorReports({ logger, mask, dsn: sentryDsn })
  const services: Services = {
    sessions,
    store,
    offRecord,
    runtime: database.runtime,
    askQuestion: searchTimer.timedQuestion(composeAskQuestion({ database, ...vectors })),
    ...sessionServices,
    ...sync,
    reflections: database.reflections,
    ...composeSpoken({ voice, agents: sync.voiceAgents }),
    ...composeHealth({ database, recorder, settings, providers, voice, mask }),
    personSettings: database.personSettings,
    idempotency: database.idempotency,
    // People have a token of their own, visitors that of their session.
    findCaller: async (tokenHash) =>
      (await database.tokens.find(tokenHash)) ?? findVisitor(tokenHash, database),
    ...(jwtIssuer && { jwtIssuer, verifyJwt: createJwtVerifier(jwtIssuer) }),
    shareLinks: database.shareLinks,
    tokens: database.tokens,
    signIns: database.signIns,
    audit: database.audit,
    errors,
    logger,
    metrics: createMetrics(),
    ready: () => database.ready(),
    getAgents: agents,
    getDefaultAgent: () => agents().get(defaultAgent().id) ?? defaultAgent(),
    getDefaultContext: async (person) => ({
      workingDir: await makeWorkspace(join(workspace, person)),
      fsScopeTier: 'sandboxed',
    }),
    mcpServers: Object.keys(policy.mcpServers),
    widestTier: policy.tier,
    // The provider and visitors of links use these names.
    hosts: [
      ...hosts,
      ...[voice?.publicUrl, publicUrl].flatMap((url) => (url ? [new URL(url).hostname] : [])),
    ],
    ...(publicUrl !== undefined && { publicUrl }),
    consoleDir: fileURLToPath(new URL('../../console/dist', import.meta.url)),
    instanceId: randomUUID(),
  }
  return { services, database, toolbox, errors }
}

/** Only files in the sessions' folders. */
const DEFAULT_TOOL_POLICY: ToolPolicy = {
  tier: 'sandboxed',
  allowedCommands: [],
  allowedCommandGlobs: [],
  allowedDomains: [],
  httpHeaders: {},
  mcpServers: {},
}

const NOTHING_CONFIGURED: Partial<ServedModels> = {}

const OFFLINE_PROVIDERS: readonly ProviderSettings[] = [{ name: 'offline', kind: 'offline' }]

/** Computes a result from a value, again only when the value changes. */
function recomputeOnChange<From extends object, Made>(
  from: () => From,
  make: (value: From) => Made,
): () => Made {
  let made: { readonly of: From; readonly value: Made } | undefined
  return () => {
    const value = from()
    if (made?.of !== value) made = { of: value, value: make(value) }
    return made.value
  }
}

/** The error for an agent whose model this server does not have. The sender named the model. */
const refuseModel =
  ({ provider, model }: Agent) =>
  (reason: string) =>
    new PlatformError('validation', { message: `This server does not have ${provider}/${model}. ${reason}` })

/** A separate folder, since the data folder around it holds keys and the database. */
async function makeWorkspace(workspace: string): Promise<string> {
  try {
    await mkdir(workspace, { recursive: true, mode: 0o700 })
  } catch (cause) {
    const message = `The folder ${workspace} for sessions cannot be created (${String(cause)}).`
    const fix =
      'Fix the permissions of its parent folder, or choose another: PARLEY_HOME, or root under [server].'
    throw new PlatformError('config_invalid', { message, fix }, { cause })
  }
  return workspace
}

/** Records the time of searches, except off the record. */
function createSearchTimer(health: Pick<HealthRecorder, 'time'>) {
  const timed = async (
    audience: string,
    search: () => Promise<RetrievalResult>,
  ): Promise<RetrievalResult> => {
    const began = performance.now()
    const found = await search()
    health.time('retrieval', found.partial ? `${audience} partial` : audience, performance.now() - began)
    return found
  }
  return {
    timedQuestion:
      (ask: AskQuestion): AskQuestion =>
      (question, ...rest) =>
        timed(question.audience, () => ask(question, ...rest)),
    timedForSession:
      (retrieve: RetrieveForSession): RetrieveForSession =>
      (session, query, signal) =>
        session.ingestion === 'off-record'
          ? retrieve(session, query, signal)
          : timed(session.sessionAudience, () => retrieve(session, query, signal)),
  }
}
