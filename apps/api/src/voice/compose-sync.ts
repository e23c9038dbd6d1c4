import { createHash, createHmac } from 'node:crypto'
import {
  type AgentSurface,
  type AgentTestReport,
  type ReflectionId,
  type SurfaceStatus,
  type SyncMetadata,
} from '@parley/contracts'
import type { Database } from '@parley/postgres'
import {
  agentSurfacesOf,
  type AgentTestsHost,
  agentTestsOf,
  auditAgents,
  auditServerAgents,
  createRuntimeAgents,
  createToolKeeper,
  readNow,
  repairAgents,
  repairServerAgents,
  runAgentTests,
  surfaceNow,
  type SyncHost,
  syncReflectionRuntime,
} from '@parley/reflections'
import type { Logger } from 'pino'
import type { Services } from '../services.ts'
import { closeTakenBack, closingAgents } from './closing-agents.ts'
import { removingAgents } from './removing-agents.ts'
import type { RuntimeSync } from './runtime-sync.ts'
import type { VoiceSettings } from './voice-settings.ts'
import type { Webhook } from './webhook.ts'

export interface ComposeSyncHost {
  readonly database: Pick<Database, 'syncs' | 'runtime' | 'reflections'>
  readonly logger: Logger
  readonly voice: VoiceSettings | undefined
  readonly webhook: Webhook | undefined
}

const SYNC_MS = 60_000
const TEST_MS = 600_000

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Nothing where nothing is spoken. */
export function composeSync({
  database,
  logger,
  voice,
  webhook,
}: ComposeSyncHost): Pick<Services, 'runtimeAgents' | 'runtimeSync' | 'reflections'> {
  const { reflections } = database
  if (!voice) return { reflections }
  const { provider, publicUrl, toolSecret, defaultVoiceId, bindingSecrets } = voice
  const setUp = { publicUrl, toolSecret, defaultVoiceId }
  const store = database.syncs
  const host: SyncHost = {
    store,
    runtime: database.runtime,
    provider,
    setUp,
    tools: createToolKeeper({ store, provider, setUp, sha256 }),
    webhookId: async () => (await webhook?.id()) ?? null,
    sha256,
    keyedHash: (text) => createHmac('sha256', bindingSecrets[0]).update(text).digest('hex'),
    now: () => new Date().toISOString(),
  }
  const runtimeAgents = createRuntimeAgents({
    ...host,
    deadline: within,
    onFailed: (err) => logger.warn({ err }, 'an agent could not be brought up to date'),
  })
  const onOpen = (err: unknown) => logger.error({ err }, 'an agent at the provider could not be closed')
  return {
    runtimeAgents,
    runtimeSync: {
      ...runtimeSyncOf({
        ...host,
        ...runtimeAgents,
        deadline: within,
        onLeft: (err) => logger.error({ err }, 'tests of an agent are still at the provider'),
      }),
      closeTakenBack: (signal) => closeTakenBack(host, onOpen, signal),
    },
    reflections: closingAgents(
      removingAgents(reflections, host, (err) =>
        logger.error({ err }, 'what is of a removed reflection is still at the provider'),
      ),
      host,
      onOpen,
    ),
  }
}

const within = () => AbortSignal.timeout(SYNC_MS)

function runtimeSyncOf(host: AgentTestsHost): Omit<RuntimeSync, 'closeTakenBack'> {
  const status = async (reflectionId: ReflectionId) => {
    const now = await readNow(reflectionId, host)
    return agentSurfacesOf(now).map((surface) => statusOf(surface, surfaceNow(now, surface, host)))
  }
  return {
    status,

    async sync(reflectionId, surface) {
      const surfaces = surface ? [surface] : agentSurfacesOf(await readNow(reflectionId, host))
      const synced = await Promise.allSettled(
        surfaces.map((one) => syncReflectionRuntime(reflectionId, one, host, within(), 'anyway')),
      )
      const failed = synced.find((outcome) => outcome.status === 'rejected')
      if (failed) throw failed.reason
      return status(reflectionId)
    },

    async audit(reflectionId, how) {
      const [look, lookAtServer] =
        how === 'repair' ? [repairAgents, repairServerAgents] : [auditAgents, auditServerAgents]
      return {
        items: [...(await look(reflectionId, host, within()))],
        server: await lookAtServer(host, within()),
      }
    },

    async test(reflectionId, surface, how) {
      const signal = AbortSignal.timeout(TEST_MS)
      if (how === 'list') {
        const { tests, warnings } = await agentTestsOf(reflectionId, surface, host, signal)
        return {
          surface,
          warnings: [...warnings],
          items: tests.map((test) => ({ test: asBody(test), reasons: [] })),
        }
      }
      const { agentId, warnings, items } = await runAgentTests(reflectionId, surface, host, signal)
      return {
        surface,
        agentId,
        warnings: [...warnings],
        items: items.map(({ test, result: { verdict, reasons } }) => ({
          test: asBody(test),
          verdict,
          reasons: [...reasons],
        })),
      }
    },
  }
}

type Test = Awaited<ReturnType<typeof agentTestsOf>>['tests'][number]

const asBody = (test: Test): AgentTestReport['items'][number]['test'] => ({
  ...test,
  history: [...test.history],
})

function statusOf(
  surface: AgentSurface,
  { agent, agentId, target, synced }: ReturnType<typeof surfaceNow>,
): SurfaceStatus {
  return {
    surface,
    status: STATUSES[agent.kind],
    differs: agent.kind === 'stale' ? [...agent.differs] : [],
    missing: agent.kind === 'not-ready' ? [agent.missing] : [],
    ...(agentId !== undefined && { agentId }),
    ...(target && { packKind: target.packKind }),
    ...(synced && { syncedAt: synced.syncedAt, synced: hashesOf(synced) }),
    ...(target && { wanted: hashesOf(target) }),
  }
}

const hashesOf = ({
  packKind,
  packContentHash,
  dossierHash,
  publishedScopeHash,
}: SyncMetadata): SyncMetadata => ({
  packKind,
  packContentHash,
  dossierHash,
  publishedScopeHash,
})

const STATUSES = { fresh: 'fresh', stale: 'stale', 'not-ready': 'not_ready' } as const
