import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '@parley/postgres'
import {
  type AgentCleanup,
  type VoiceAgents,
  type AgentSync,
  type SyncHost,
  createAgentCleanup,
  createVoiceAgents,
  createAgentSync,
  createToolKeeper,
} from '@parley/reflections'
import type { Logger } from 'pino'
import { hmac, sha256 } from '../node-host.ts'
import type { VoiceSettings } from './voice-settings.ts'
import type { Webhook } from './webhook.ts'

export interface ComposeSyncHost {
  readonly database: Pick<Database, 'syncs' | 'runtime'>
  readonly logger: Logger
  readonly voice: VoiceSettings | undefined
  readonly webhook: Webhook | undefined
}

interface ComposedSync {
  readonly voiceAgents?: VoiceAgents
  readonly agentSync?: AgentSync
  readonly agentCleanup?: AgentCleanup
}

const SYNC_MS = 60_000

const timeout = (ms: number, signal?: AbortSignal): AbortSignal =>
  signal ? AbortSignal.any([signal, AbortSignal.timeout(ms)]) : AbortSignal.timeout(ms)

const deadline = () => AbortSignal.timeout(SYNC_MS)

/** Does not keep the process alive. */
const waitInBackground = async (ms: number, signal: AbortSignal): Promise<void> =>
  pause(ms, undefined, { ref: false, signal })

/** Empty on a server without a voice provider. */
export function composeSync({ database, logger, voice, webhook }: ComposeSyncHost): ComposedSync {
  if (!voice) return {}
  const { syncs: store, runtime } = database
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
    keyedHash: (text) => hmac(bindingSecrets[0], text),
    now: () => new Date().toISOString(),
  }
  const voiceAgents = createVoiceAgents({
    ...host,
    deadline,
    onFailed: (err) => logger.warn({ err }, 'an agent could not be brought up to date'),
  })
  const agentCleanup = createAgentCleanup({
    ...host,
    timeout,
    wait: waitInBackground,
    onNotClosed: (err) => logger.error({ err }, 'an agent at the provider could not be closed'),
    onNotRemoved: (err) =>
      logger.error({ err }, 'the provider still has agents or tests of a removed reflection'),
  })
  const agentSync = createAgentSync({
    ...host,
    ...voiceAgents,
    deadline,
    timeout,
    onTestsNotRemoved: (err) => logger.error({ err }, 'the provider still has tests of an agent'),
  })
  return {
    voiceAgents,
    agentSync,
    agentCleanup,
  }
}
