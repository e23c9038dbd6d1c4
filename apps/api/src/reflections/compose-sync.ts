import { createHmac } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { ReflectionStore } from '@parley/knowledge'
import type { Database } from '@parley/postgres'
import {
  type AgentCleanup,
  type RuntimeAgents,
  type RuntimeSync,
  type SyncHost,
  createAgentCleanup,
  createRuntimeAgents,
  createRuntimeSync,
  createToolKeeper,
} from '@parley/reflections'
import type { Logger } from 'pino'
import { sha256 } from '../node-host.ts'
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
  readonly agentCleanup?: AgentCleanup
}

const SYNC_MS = 60_000

const timeout = (ms: number, signal?: AbortSignal): AbortSignal =>
  signal ? AbortSignal.any([signal, AbortSignal.timeout(ms)]) : AbortSignal.timeout(ms)

const deadline = () => AbortSignal.timeout(SYNC_MS)

/** Does not keep the process alive. */
const wait = async (ms: number, signal: AbortSignal): Promise<void> =>
  pause(ms, undefined, { ref: false, signal })

/** Only the reflections on a server without a voice provider. */
export function composeSync({ database, logger, voice, webhook }: ComposeSyncHost): ComposedSync {
  const { reflections, syncs: store, runtime } = database
  if (!voice) return { reflections }
  const { provider, publicUrl, toolSecret, defaultVoiceId, bindingSecrets } = voice
  const setUp = { publicUrl, toolSecret, defaultVoiceId }
  const host: SyncHost = {
    store,
    runtime,
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
    deadline,
    onFailed: (err) => logger.warn({ err }, 'an agent could not be brought up to date'),
  })
  const agentCleanup = createAgentCleanup({
    ...host,
    timeout,
    wait,
    onNotClosed: (err) => logger.error({ err }, 'an agent at the provider could not be closed'),
    onNotRemoved: (err) =>
      logger.error({ err }, 'the provider still has agents or tests of a removed reflection'),
  })
  const runtimeSync = createRuntimeSync({
    ...host,
    ...runtimeAgents,
    deadline,
    timeout,
    onLeft: (err) => logger.error({ err }, 'the provider still has tests of an agent'),
  })
  return {
    runtimeAgents,
    runtimeSync,
    agentCleanup,
    reflections: withAgentCleanup(reflections, agentCleanup),
  }
}

/** The store, with the provider's agents cleaned up after each change that takes content from them. */
const withAgentCleanup = (reflections: ReflectionStore, cleanup: AgentCleanup): ReflectionStore => ({
  ...reflections,

  async remove(reflectionId, by) {
    const removeAgents = await cleanup.prepareRemoval(reflectionId)
    await reflections.remove(reflectionId, by)
    removeAgents()
  },

  async unpublish(reflectionId, ...change) {
    const unpublished = await reflections.unpublish(reflectionId, ...change)
    await cleanup.closeAgents(reflectionId, 'public')
    return unpublished
  },

  async addSource(reflectionId, ...added) {
    const source = await reflections.addSource(reflectionId, ...added)
    if (source.endedSessions) await cleanup.closeAgents(reflectionId, 'public')
    return source
  },

  async removeSource(reflectionId, sourceId, by) {
    const ended = await reflections.removeSource(reflectionId, sourceId, by)
    await cleanup.closeAgents(reflectionId, 'all')
    return ended
  },
})
