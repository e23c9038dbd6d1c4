import { createHash, createHmac } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import {
  AgentSurface,
  type AgentTestReport,
  type DriftReport,
  PlatformError,
  type ReflectionId,
  type Surface,
  type SurfaceStatus,
  type SyncMetadata,
} from '@parley/contracts'
import type { ReflectionStore } from '@parley/knowledge'
import type { Database } from '@parley/postgres'
import {
  type AgentTestsHost,
  type RuntimeAgents,
  type SyncHost,
  agentSurfacesOf,
  agentTestsOf,
  auditAgents,
  auditServerAgents,
  closeAgent,
  createRuntimeAgents,
  createToolKeeper,
  readNow,
  repairAgents,
  repairServerAgents,
  runAgentTests,
  surfaceNow,
  syncReflectionRuntime,
} from '@parley/reflections'
import type { VoiceSettings } from './voice-settings.ts'
import type { Webhook } from './webhook.ts'

export interface ComposeSyncHost {
  readonly database: Pick<Database, 'syncs' | 'runtime' | 'reflections'>
  readonly logger: Logger
  readonly voice: VoiceSettings | undefined
  readonly webhook: Webhook | undefined
}

interface ComposedSync {
  readonly reflections: ReflectionStore
  readonly runtimeAgents?: RuntimeAgents
  readonly runtimeSync?: RuntimeSync
}

const SYNC_MS = 60_000
const TEST_MS = 600_000

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Only the reflections on a server without a voice provider. */
export function composeSync({ database, logger, voice, webhook }: ComposeSyncHost): ComposedSync {
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

const REMOVE_MS = 60_000

/** With a reflection go its agents at the provider, and their tests, in the background: they hold its prompts and facts. */
const removingAgents = (
  reflections: ReflectionStore,
  { store, provider }: Pick<SyncHost, 'store' | 'provider'>,
  onFailed: (failure: PlatformError) => void,
): ReflectionStore => ({
  ...reflections,
  async remove(reflectionId, by) {
    const now = await store.read(reflectionId)
    await reflections.remove(reflectionId, by)
    const signal = AbortSignal.timeout(REMOVE_MS)
    const failed = (what: { readonly agentId?: string }, message: string) => (cause: unknown) =>
      onFailed(new PlatformError('provider_unavailable', { reflectionId, message, ...what }, { cause }))
    void provider
      .removeTests(`${reflectionId} `, signal)
      .catch(failed({}, `Remove the tests whose names begin with ${reflectionId} there by hand.`))
    for (const { agentId } of Object.values(now?.syncs ?? {})) {
      void provider
        .removeAgent(agentId, signal)
        .catch(failed({ agentId }, `Remove the agent ${agentId} of ${reflectionId} there by hand.`))
    }
  },
})

/** How long who unpublished, moved or removed something waits for the provider; then it goes on without them. */
const WAIT_MS = 3_000
const ATTEMPT_MS = 60_000
/** What is waited before each further attempt; after them it is left to the sweep. */
const AGAIN_AFTER_MS = [1_000, 10_000]

const PUBLIC: readonly AgentSurface[] = ['public', 'public_part']

/** What was unpublished, or was in a source that was moved or removed, is taken from the agents at the provider that hold it. */
function closingAgents(
  reflections: ReflectionStore,
  host: SyncHost,
  onFailed: (failure: PlatformError) => void,
): ReflectionStore {
  const close = async (reflectionId: ReflectionId, surface: AgentSurface): Promise<void> => {
    for (const againAfter of [...AGAIN_AFTER_MS, undefined]) {
      try {
        return await closeAgent(reflectionId, surface, host, AbortSignal.timeout(ATTEMPT_MS))
      } catch (cause) {
        const next = againAfter === undefined ? 'every minute' : `in ${againAfter / 1_000} s`
        onFailed(stillOpen(reflectionId, surface, next, cause))
        if (againAfter !== undefined) await pause(againAfter, undefined, { ref: false })
      }
    }
  }
  const closeSoon = async (reflectionId: ReflectionId, surfaces: readonly AgentSurface[]): Promise<void> => {
    const closed = Promise.all(surfaces.map((surface) => close(reflectionId, surface)))
    await Promise.race([closed, pause(WAIT_MS, undefined, { ref: false })])
  }
  return {
    ...reflections,

    async unpublish(reflectionId, ...change) {
      const unpublished = await reflections.unpublish(reflectionId, ...change)
      await closeSoon(reflectionId, PUBLIC)
      return unpublished
    },

    async addSource(reflectionId, ...added) {
      const source = await reflections.addSource(reflectionId, ...added)
      if (source.endedSessions) await closeSoon(reflectionId, PUBLIC)
      return source
    },

    async removeSource(reflectionId, sourceId, by) {
      const takenBack = await reflections.removeSource(reflectionId, sourceId, by)
      await closeSoon(reflectionId, AgentSurface.options)
      return takenBack
    },
  }
}

/** Closes the agents that still hold unpublished or removed sources, whichever process left them. */
async function closeTakenBack(
  host: SyncHost,
  onFailed: (failure: PlatformError) => void,
  signal: AbortSignal,
): Promise<void> {
  for (const { reflectionId, surface } of await host.store.holdingTakenBack()) {
    if (signal.aborted) return
    const attempt = AbortSignal.any([signal, AbortSignal.timeout(ATTEMPT_MS)])
    await closeAgent(reflectionId, surface, host, attempt).catch((cause: unknown) => {
      if (!signal.aborted) onFailed(stillOpen(reflectionId, surface, 'in a minute', cause))
    })
  }
}

function stillOpen(
  reflectionId: ReflectionId,
  surface: AgentSurface,
  next: string,
  cause: unknown,
): PlatformError {
  const message = `The agent ${surface} of ${reflectionId} still holds unpublished or removed sources. Retrying ${next}.`
  return new PlatformError('provider_unavailable', { reflectionId, surface, message }, { cause })
}

/** What admins do with the provider's agents of a reflection, beyond what sessions do by themselves. */
export interface RuntimeSync {
  status(reflectionId: ReflectionId): Promise<SurfaceStatus[]>
  /** One or all, as they should be, though nothing is known to differ. Throws where the provider fails. */
  sync(reflectionId: ReflectionId, surface?: AgentSurface): Promise<SurfaceStatus[]>
  audit(reflectionId: ReflectionId, how: 'report' | 'repair'): Promise<DriftReport>
  /** Closes the agents of all reflections that still hold unpublished or removed sources. */
  closeTakenBack(signal: AbortSignal): Promise<void>
  test(reflectionId: ReflectionId, surface: Surface, how: 'run' | 'list'): Promise<AgentTestReport>
}
