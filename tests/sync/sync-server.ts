import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startApi, type VoiceSettings } from '@parley/api'
import {
  DriftReport,
  Me,
  Reflection,
  type ReflectionId,
  Source,
  type Surface,
  SyncStatus,
} from '@parley/contracts'
import { createElevenLabsProvider } from '@parley/elevenlabs'
import { openDatabase } from '@parley/postgres'
import { freshDatabase } from '@parley/postgres/testing'
import type { VoiceProvider } from '@parley/reflections'
import { startVoice } from '@parley/voice-provider'
import { pino } from 'pino'
import { learn, rebuild } from '../../apps/api/src/testing/learn.ts'
import { composeSync } from '../../apps/api/src/reflections/compose-sync.ts'
import { SILENT_SPEECH } from '../../apps/voice-provider/src/testing/test-voice.ts'
import { callAsOwner, OWNER_TOKEN } from '../support/call-api.ts'

export const API_KEY = 'made-up-key-of-the-tests'
export const PUBLISHED = 'I work as a gardener. I like green tea.'
export const CANARY = 'Zanzibarino'
const PRIVATE = `I live in ${CANARY}. I am allergic to Quokkanuts.`
const DEFAULT_VOICE = 'cjVigY5qzO86Huf0OWal'

/** A write request to the provider. */
interface ProviderWrite {
  readonly operation: 'createAgent' | 'updateAgent' | 'removeAgent'
  readonly text: string
}

/** The API, the local voice provider behind the vendor's SDK, and two more processes' sync services. */
export async function startSyncServer({ publicUrl = 'http://127.0.0.1:9' } = {}) {
  const fresh = await freshDatabase()
  const { databaseUrl } = fresh
  const home = await mkdtemp(join(tmpdir(), 'parley-sync-'))
  const logger = pino({ level: 'silent' })
  const startProvider = (port = 0) =>
    startVoice({ databaseUrl, port, apiKey: API_KEY, logger, speech: SILENT_SPEECH })
  let voice = await startProvider()
  const writes: ProviderWrite[] = []
  const provider = recordWrites(
    createElevenLabsProvider({ apiKey: API_KEY, baseUrl: voice.url, limits: QUICK }),
    writes,
  )
  const settings: VoiceSettings = {
    provider,
    publicUrl,
    socketOrigin: 'ws://127.0.0.1:4401',
    bindingSecrets: ['made-up-binding-secret'],
    toolSecret: 'made-up-tool-secret',
    webhookSecret: 'made-up-webhook-secret',
    defaultVoiceId: DEFAULT_VOICE,
  }
  const webhook = { name: 'Parley', url: `${publicUrl}/v1/webhooks/elevenlabs` }
  const { webhookId } = await provider.ensureWebhook(webhook, new AbortController().signal)
  const api = await startApi({ databaseUrl, home, port: 0, ownerToken: OWNER_TOKEN, logger, voice: settings })
  const databases = [await openDatabase({ databaseUrl }), await openDatabase({ databaseUrl })] as const
  const inProcess = (index: 0 | 1, changed: Partial<VoiceSettings> = {}) => {
    const composed = composeSync({
      database: databases[index],
      logger,
      voice: { ...settings, ...changed },
      webhook: { id: async () => webhookId, secrets: async () => [] },
    })
    const { voiceAgents, agentSync } = composed
    if (!voiceAgents || !agentSync) throw new Error('The voice settings are missing')
    return { ...voiceAgents, ...agentSync }
  }

  const call = (method: string, path: string, body?: unknown) => callAsOwner(api.url, method, path, body)

  const reflection = async (
    texts: Readonly<Record<string, string>>,
    published: readonly string[] = [],
  ): Promise<ReflectionId> => {
    const made = Reflection.parse((await call('POST', '/reflections', { displayName: 'Ada Winter' })).answer)
    for (const [namespace, text] of Object.entries(texts)) {
      await call('POST', `/reflections/${made.id}/namespaces`, { name: namespace })
      const body = { title: `Of ${namespace}`, namespace, text }
      const added = await call('POST', `/reflections/${made.id}/sources`, body)
      await learn(databaseUrl, Source.parse(added.answer).id)
    }
    if (published.length > 0) await publish(made.id, ...published)
    await rebuild(databaseUrl, made.id)
    return made.id
  }
  const publish = (id: ReflectionId, ...namespaces: readonly string[]) =>
    call('POST', `/reflections/${id}/publish`, { namespaces })
  const { signal } = new AbortController()

  return {
    provider,
    databaseUrl,
    inProcess,
    call,
    ownerId: async () => Me.parse((await call('GET', '/me')).answer).personId,
    /** Creates one with a text in each namespace. */
    reflection,
    /** Creates one with a public and a private namespace. */
    published: () => reflection({ essays: PUBLISHED, diary: PRIVATE }, ['essays']),
    rebuild: (id: ReflectionId) => rebuild(databaseUrl, id),
    publish,
    unpublish: (id: ReflectionId, ...namespaces: readonly string[]) =>
      call('POST', `/reflections/${id}/unpublish`, { namespaces }),
    async writtenSince(work: () => Promise<unknown>) {
      const before = writes.length
      await work()
      return writes.slice(before)
    },
    async heldBy(agentId: string) {
      const held = await provider.readAgent(agentId, signal)
      if (held.kind !== 'agent') throw new Error(held.reason)
      return held
    },
    async freshAgent(id: ReflectionId, surface: Surface): Promise<string> {
      const found = await inProcess(0).ensureFresh(id, surface, signal)
      if (found.kind !== 'fresh') throw new Error(JSON.stringify(found))
      return found.agentId
    },
    driftOf: async (id: ReflectionId, body = {}) =>
      DriftReport.parse((await call('POST', `/reflections/${id}/audit`, body)).answer).items,
    statusOf: async (id: ReflectionId) =>
      SyncStatus.parse((await call('GET', `/reflections/${id}/sync`)).answer).items,
    providerUrl: () => voice.url,
    stopProvider: () => voice.stop(),
    async startProviderAgain() {
      voice = await startProvider(Number(new URL(voice.url).port))
    },
    async [Symbol.asyncDispose]() {
      await api.stop()
      await Promise.all(databases.map((database) => database.close()))
      await voice.stop()
      await fresh.drop()
      await rm(home, { recursive: true, force: true })
    },
  }
}

const QUICK = { read: { attempts: 1, attemptMs: 10_000, deadlineMs: 10_000 } }

const recordWrites = (provider: VoiceProvider, writes: ProviderWrite[]): VoiceProvider => ({
  ...provider,
  createAgent(template, signal) {
    writes.push({ operation: 'createAgent', text: JSON.stringify(template) })
    return provider.createAgent(template, signal)
  },
  updateAgent(agentId, template, signal) {
    writes.push({ operation: 'updateAgent', text: JSON.stringify(template) })
    return provider.updateAgent(agentId, template, signal)
  },
  removeAgent(agentId, signal) {
    writes.push({ operation: 'removeAgent', text: agentId })
    return provider.removeAgent(agentId, signal)
  },
})
