import { randomFillSync, randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { type Agent, PlatformError, type Retrieved } from '@parley/contracts'
import {
  type ModelPort,
  type Secret,
  type SessionLimits,
  createIdSource,
  createRunEventBus,
  createSessions,
  maskSecrets,
} from '@parley/engine'
import { type Embedder, maskedEmbedder } from '@parley/knowledge'
import { type ProviderSettings, type Providers, createProviders, offlineAgent } from '@parley/llm'
import {
  type Database,
  type HealthRecorder,
  createHealthRecorder,
  openDatabase,
  watchedModel,
} from '@parley/postgres'
import { type ToolPolicy, type Toolbox, createToolbox } from '@parley/tools'
import { type JwtIssuer, jwtVerifier } from './auth/jwt-verifier.ts'
import { composeHealth } from './health/compose-health.ts'
import { watchedProvider } from './health/watched-provider.ts'
import { watchedStore } from './health/watched-store.ts'
import { createMetrics } from './metrics.ts'
import { composeSpoken, composeTools, composeTyped } from './reflections/compose-sessions.ts'
import { composeSync } from './reflections/compose-sync.ts'
import { type ErrorReports, errorReports } from './reflections/report-error.ts'
import type { RetrieveForSession } from './reflections/retrieve-for-session.ts'
import { findCallerIn, visitorLimits } from './reflections/visitors.ts'
import type { VoiceSettings } from './reflections/voice-settings.ts'
import { type Retrieve, retrieveFor } from './retrieve-for.ts'
import type { Services } from './services.ts'

export interface Composed {
  readonly services: Services
  readonly database: Database
  readonly toolbox: Toolbox
  readonly errors: ErrorReports
}

export interface ComposeOptions {
  readonly databaseUrl: string
  readonly home: string
  readonly logger: Logger
  /** Names besides localhost by which the server may be called. */
  readonly hosts?: readonly string[]
  /** Where others reach the server, in links that they are given. */
  readonly publicUrl?: string
  /** Which models answer here. It is asked each time, since the person's config may change while the server runs. */
  readonly served?: () => Partial<ServedModels>
  readonly limits?: Partial<SessionLimits>
  /** What tools may do here, for all sessions; nothing but reach files in `workspace` of the data folder where absent. */
  readonly toolPolicy?: Partial<ToolPolicy>
  /** The environment; child processes get a subset. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** All that must not be shown. */
  readonly secrets?: () => readonly Secret[]
  /** What config may name. */
  readonly secretOf?: (name: string) => string | undefined
  /** Who makes vectors of questions, where the database keeps those of chunks. */
  readonly embedder?: Embedder
  /** In place of the providers. Throws where an agent's model is not available. */
  readonly modelOf?: (agent: Agent) => ModelPort
  /** Without it nothing is spoken here. */
  readonly voice?: VoiceSettings
  /** Where failures are sent to that are in the log alone otherwise. */
  readonly sentryDsn?: string
  /** Whose JWTs are believed as to who somebody is. */
  readonly jwtIssuer?: JwtIssuer
}

/** The same lists until they change. */
interface ServedModels {
  readonly providers: readonly ProviderSettings[]
  /** Who answers where nobody names an agent. */
  readonly defaultAgent: Agent
  /** Which others may be named beside it. */
  readonly agents: readonly Agent[]
}

/** Builds what the routes work with, on a database that is migrated. */
export async function compose({
  databaseUrl,
  home,
  logger,
  hosts = [],
  publicUrl,
  served = () => OFFLINE_SERVED,
  limits = {},
  toolPolicy = {},
  environment = {},
  secrets = () => [],
  secretOf = () => undefined,
  embedder,
  modelOf: givenModelOf,
  voice: givenVoice,
  sentryDsn,
  jwtIssuer,
}: ComposeOptions): Promise<Composed> {
  const policy: ToolPolicy = { ...STRICT, root: join(home, 'workspace'), ...toolPolicy }
  const workspace = await makeWorkspace(policy.root ?? join(home, 'workspace'))
  const opened = await openDatabase({ databaseUrl, onError: (err) => logger.error({ err }, 'database') })
  const recorder = createHealthRecorder({
    log: opened.health,
    kind: 'api',
    onError: (err) => logger.warn({ err }, 'how this process fares could not be written'),
  })
  const database = { ...opened, sessions: watchedStore(opened.sessions, recorder) }
  const settings = () => served().providers ?? OFFLINE_ALONE
  const providers = latest(settings, (now) => createProviders(now))
  const defaultAgent = () => served().defaultAgent ?? offlineAgent
  const agents = latest(
    served,
    ({ agents: own = [] }) =>
      new Map([...own, defaultAgent(), offlineAgent].map((agent) => [agent.id, agent])),
  )
  const mask = (text: string) => maskSecrets(text, secrets())
  const voice = givenVoice && {
    ...givenVoice,
    provider: watchedProvider(givenVoice.provider, recorder, mask),
  }
  const modelOf = (agent: Agent) => {
    const model = (givenModelOf ?? modelsOf(providers()))(agent)
    const coolsUntil = () => providers().coolsUntil(model.provider, model.modelId)
    return watchedModel(model, { health: recorder, coolsUntil, mask })
  }
  const toolbox = createToolbox({
    policyOf: () => policy,
    home,
    environment,
    secrets,
    secretOf,
    handleOf: (bytes) => database.sessions.handleOf(bytes),
    ownServersOnly: true,
  })
  const vectors = {
    ...(embedder && { embedder: maskedEmbedder(embedder, mask) }),
    onVectorFailure: (err: unknown) => logger.warn({ err }, 'a question was answered by words alone'),
  }
  const watched = watchedRetrieval(recorder)
  const composedTools = composeTools({ database, vectors, home, logger, mask, voice })
  const tools = {
    ...composedTools,
    retrieveForSession: watched.forSession(composedTools.retrieveForSession),
  }
  const { offRecord, toolsOf } = composeTyped({ database, toolbox, secrets, tools, sessions: () => sessions })
  const { store } = offRecord
  const sessions = createSessions({
    store,
    eventBus: createRunEventBus({ across: { relay: database.relay, store } }),
    clock: Date,
    ids: createIdSource(randomFillSync),
    modelOf,
    toolsOf,
    secrets,
    limits,
    limitsFor: visitorLimits(database.shareLinks),
  })
  const sync = composeSync({ database, logger, voice, webhook: tools.webhook })
  const errors = errorReports({ logger, mask, dsn: sentryDsn })
  const services: Services = {
    sessions,
    store,
    offRecord,
    runtime: database.runtime,
    retrieve: watched.asked(retrieveFor(database, vectors)),
    ...tools,
    ...sync,
    ...composeSpoken({ voice, agents: sync.runtimeAgents }),
    ...composeHealth({ database, recorder, settings, providers, voice, mask }),
    personSettings: database.personSettings,
    idempotency: database.idempotency,
    findCaller: findCallerIn(database),
    ...(jwtIssuer && { jwtIssuer, verifyJwt: jwtVerifier(jwtIssuer) }),
    shareLinks: database.shareLinks,
    tokens: database.tokens,
    signIns: database.signIns,
    audit: database.audit,
    errors,
    logger,
    metrics: createMetrics(),
    ready: () => database.ready(),
    get agents() {
      return agents()
    },
    get defaultAgentId() {
      return defaultAgent().id
    },
    contextOf: async (person) => ({
      workingDir: await makeWorkspace(join(workspace, person)),
      fsScopeTier: 'sandboxed',
    }),
    mcpServers: Object.keys(policy.mcpServers),
    widestTier: policy.tier,
    // The provider and who is given a link call us by these names.
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

/** Nothing beyond reading and writing files where sessions work. */
const STRICT: ToolPolicy = {
  tier: 'sandboxed',
  allowedCommands: [],
  allowedCommandGlobs: [],
  allowedDomains: [],
  httpHeaders: {},
  mcpServers: {},
}

const OFFLINE_SERVED: Partial<ServedModels> = {}

const OFFLINE_ALONE: readonly ProviderSettings[] = [{ name: 'offline', kind: 'offline' }]

/** What is made of a value, made again once the value is another. */
function latest<From extends object, Made>(from: () => From, make: (value: From) => Made): () => Made {
  let made: { readonly of: From; readonly value: Made } | undefined
  return () => {
    const value = from()
    if (made?.of !== value) made = { of: value, value: make(value) }
    return made.value
  }
}

/** What the server cannot do for an agent is its sender's matter, so they are told. */
function modelsOf(providers: Providers): (agent: Agent) => ModelPort {
  return ({ provider, model, retry, fallback_chain: fallbacks = [] }) => {
    const refuse = (why: string) =>
      new PlatformError('validation', {
        message: `This server does not have ${provider}/${model}. ${why}`,
      })
    try {
      const found = providers.modelOf(provider, model, {
        maxAttempts: retry?.max_attempts,
        hasFallback: fallbacks.length > 0,
      })
      if (found.modelId === model) return found
    } catch (failure) {
      throw failure instanceof PlatformError ? refuse(failure.message) : failure
    }
    throw refuse(`The provider ${provider} has one model: ${provider}/offline.`)
  }
}

/** Where sessions work: a folder of their own, since the data folder around it holds keys and the database. */
async function makeWorkspace(workspace: string): Promise<string> {
  try {
    await mkdir(workspace, { recursive: true, mode: 0o700 })
  } catch (cause) {
    const message = `The folder ${workspace}, in which sessions work, cannot be made (${String(cause)}).`
    const mend =
      'Fix the permissions of its parent folder, or choose another: PARLEY_HOME, or root under [server].'
    throw new PlatformError('config_invalid', { message, mend }, { cause })
  }
  return workspace
}

/** Searches, with how long they took noted; of those off the record, nothing. */
function watchedRetrieval(health: Pick<HealthRecorder, 'time'>) {
  const timed = async (audience: string, search: () => Promise<Retrieved>): Promise<Retrieved> => {
    const began = performance.now()
    const found = await search()
    health.time('retrieval', found.partial ? `${audience} partial` : audience, performance.now() - began)
    return found
  }
  return {
    asked:
      (retrieve: Retrieve): Retrieve =>
      (reflection, asked, signal) =>
        timed(asked.audience, () => retrieve(reflection, asked, signal)),
    forSession:
      (retrieve: RetrieveForSession): RetrieveForSession =>
      (session, query, signal) =>
        session.ingestion === 'off-record'
          ? retrieve(session, query, signal)
          : timed(session.sessionAudience, () => retrieve(session, query, signal)),
  }
}
