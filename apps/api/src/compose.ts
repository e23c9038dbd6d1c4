import { randomFillSync, randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Agent, PlatformError } from '@parley/contracts'
import {
  createEventHub,
  createIdSource,
  createSessions,
  type ModelPort,
  noTools,
  type SessionLimits,
} from '@parley/engine'
import { createProviders, offlineAgent, type ProviderSettings } from '@parley/llm'
import { type Database, openDatabase } from '@parley/postgres'
import type { Logger } from 'pino'
import { createMetrics } from './metrics.ts'
import type { Services } from './services.ts'

export interface Composed {
  readonly services: Services
  readonly database: Database
}

export interface ComposeOptions {
  readonly databaseUrl: string
  readonly home: string
  readonly logger: Logger
  /** Names besides localhost by which the server may be called. */
  readonly hosts?: readonly string[]
  /** Who runs the models of agents. */
  readonly providers?: readonly ProviderSettings[]
  readonly limits?: Partial<SessionLimits>
  /** Who answers where nobody names an agent. */
  readonly defaultAgent?: Agent
  /** In place of the providers. Throws where an agent's model is not to be had. */
  readonly modelOf?: (agent: Agent) => ModelPort
}

/** Builds what the routes work with, on a database that is migrated. */
export async function compose({
  databaseUrl,
  home,
  logger,
  hosts = [],
  providers = OFFLINE_ALONE,
  limits = {},
  defaultAgent = offlineAgent,
  modelOf = modelsOf(providers),
}: ComposeOptions): Promise<Composed> {
  const workspace = await makeWorkspace(home)
  const database = await openDatabase({ databaseUrl, onError: (err) => logger.error({ err }, 'database') })
  const store = database.sessions
  const sessions = createSessions({
    store,
    hub: createEventHub({ across: { relay: database.relay, store } }),
    clock: Date,
    ids: createIdSource(randomFillSync),
    modelOf,
    toolsOf: () => noTools,
    limits,
  })
  const services: Services = {
    sessions,
    store,
    findCaller: (hash) => database.tokens.find(hash),
    logger,
    metrics: createMetrics(),
    ready: () => database.ready(),
    agents: new Map([defaultAgent, offlineAgent].map((agent) => [agent.id, agent])),
    defaultAgentId: defaultAgent.id,
    defaultContext: { workingDir: workspace, fsScopeTier: 'sandboxed' },
    hosts,
    consoleDir: fileURLToPath(new URL('../../console/dist', import.meta.url)),
    instanceId: randomUUID(),
  }
  return { services, database }
}

const OFFLINE_ALONE: readonly ProviderSettings[] = [{ name: 'offline', kind: 'offline' }]

/** What the server cannot do for an agent is its sender's matter, so they are told. */
function modelsOf(settings: readonly ProviderSettings[]): (agent: Agent) => ModelPort {
  const providers = createProviders(settings)
  return ({ provider, model, retry }) => {
    const refuse = (why: string) =>
      new PlatformError('validation', {
        message: `This server does not have ${provider}/${model}. ${why}`,
      })
    try {
      const found = providers.modelOf(provider, model, retry && { maxAttempts: retry.max_attempts })
      if (found.modelId === model) return found
    } catch (failure) {
      throw failure instanceof PlatformError ? refuse(failure.message) : failure
    }
    throw refuse(`The provider ${provider} has one model: ${provider}/offline.`)
  }
}

/** Where sessions work: a folder of their own, since the data folder around it holds keys and the database. */
async function makeWorkspace(home: string): Promise<string> {
  const workspace = join(home, 'workspace')
  try {
    await mkdir(workspace, { recursive: true, mode: 0o700 })
  } catch (cause) {
    const message = `The folder ${workspace}, in which sessions work, cannot be made (${String(cause)}).`
    const mend = 'Mend the rights of the data folder, or set PARLEY_HOME to another one.'
    throw new PlatformError('config_invalid', { message, mend }, { cause })
  }
  return workspace
}
