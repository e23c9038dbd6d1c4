import { randomBytes, randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { PlatformError } from '@parley/contracts'
import { createEventHub, createIdSource, createSessions, noTools } from '@parley/engine'
import { offlineAgent, offlineModel } from '@parley/llm'
import { type Database, openDatabase } from '@parley/postgres'
import type { Logger } from 'pino'
import { createMetrics } from './metrics.ts'
import type { Services } from './services.ts'

export interface Composed {
  readonly services: Services
  readonly database: Database
}

/** Builds what the routes work with, on a database that is migrated. */
export async function compose({
  databaseUrl,
  home,
  logger,
}: {
  databaseUrl: string
  home: string
  logger: Logger
}): Promise<Composed> {
  const database = await openDatabase({ databaseUrl, onError: (err) => logger.error({ err }, 'database') })
  const store = database.sessions
  const offline = offlineModel()
  const sessions = createSessions({
    store,
    hub: createEventHub(),
    clock: Date,
    ids: createIdSource(randomSuffix),
    modelOf: ({ provider, model }) => {
      if (provider === 'offline' && model === offline.modelId) return offline
      const message = `This server has no model "${model}" of a provider "${provider}"; it has the model "offline" of the provider "offline".`
      throw new PlatformError('validation', { message })
    },
    toolsOf: () => noTools,
  })
  const services: Services = {
    sessions,
    store,
    findCaller: (hash) => database.tokens.find(hash),
    logger,
    metrics: createMetrics(),
    ready: () => database.ready(),
    agents: new Map([[offlineAgent.id, offlineAgent]]),
    defaultContext: { workingDir: home, fsScopeTier: 'sandboxed' },
    consoleDir: fileURLToPath(new URL('../../console/dist', import.meta.url)),
    instanceId: randomUUID(),
  }
  return { services, database }
}

/** 100 bits: nobody guesses one, and no two meet. */
const randomSuffix = () =>
  BigInt(`0x${randomBytes(13).toString('hex')}`)
    .toString(36)
    .padStart(21, '0')
