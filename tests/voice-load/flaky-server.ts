import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startApi } from '@parley/api'
import { CreatedShareLink, PlatformError, Reflection, Source } from '@parley/contracts'
import { elevenLabsProvider } from '@parley/elevenlabs'
import { freshDatabase } from '@parley/postgres/testing'
import type { VoiceProvider } from '@parley/voice'
import { startVoice } from '@parley/voice-provider'
import { pino } from 'pino'
import { learn } from '../../apps/api/src/testing/learn.ts'
import { rebuild } from '../../apps/api/src/testing/rebuild.ts'

const OWNER = 'made-up-token-of-the-owner'
const API_KEY = 'made-up-key-of-the-tests'

/** The API before a provider whose credentials fail one time in so many, in one of the ways that there are. */
export async function flakyServer(oneIn: number) {
  const { databaseUrl, drop } = await freshDatabase()
  const home = await mkdtemp(join(tmpdir(), 'parley-load-'))
  const logger = pino({ level: 'silent' })
  const voice = await startVoice({ databaseUrl, port: 0, apiKey: API_KEY, logger, speech: SILENCE })
  const provider = flaky(elevenLabsProvider({ apiKey: API_KEY, baseUrl: voice.url }), oneIn)
  const api = await startApi({
    databaseUrl,
    home,
    port: 0,
    ownerToken: OWNER,
    logger,
    voice: {
      provider,
      publicUrl: 'http://127.0.0.1:9',
      socketOrigin: 'ws://127.0.0.1:4401',
      bindingSecrets: ['made-up-binding-secret'],
      toolSecret: 'made-up-tool-secret',
      webhookSecret: 'made-up-webhook-secret',
      defaultVoiceId: 'made-up-voice',
    },
  })
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${api.url}/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${OWNER}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: response.status, answer: (await response.json()) as unknown }
  }
  return {
    databaseUrl,
    call,
    /** With something private and something public, and a voice. */
    async reflection() {
      const { id } = Reflection.parse(
        (await call('POST', '/reflections', { displayName: 'Ada Winter' })).answer,
      )
      const path = `/reflections/${id}`
      await call('PATCH', path, { voice: { voiceId: 'slt', kind: 'stock' } })
      for (const namespace of ['diary', 'essays']) {
        await call('POST', `${path}/namespaces`, { name: namespace })
        const body = { title: namespace, namespace, text: `I live in the ${namespace}. I like rowing.` }
        await learn(databaseUrl, Source.parse((await call('POST', `${path}/sources`, body)).answer).id)
      }
      await call('POST', `${path}/publish`, { namespaces: ['essays'] })
      await rebuild(databaseUrl, id)
      return id
    },
    link: async (reflectionId: string) =>
      CreatedShareLink.parse((await call('POST', `/reflections/${reflectionId}/share-links`, {})).answer),
    async [Symbol.asyncDispose]() {
      await api.stop()
      await voice.stop()
      await drop()
      await rm(home, { recursive: true, force: true })
    },
  }
}

function flaky(provider: VoiceProvider, oneIn: number): VoiceProvider {
  let asked = 0
  return {
    ...provider,
    async getSignedUrl(agentId, signal) {
      asked += 1
      const failure = asked % oneIn === 0 ? FAILURES[(asked / oneIn) % FAILURES.length] : undefined
      if (!failure) return provider.getSignedUrl(agentId, signal)
      // Some fail when the provider has done its part already.
      if (failure.isLate) await provider.getSignedUrl(agentId, signal)
      throw new PlatformError(failure.code)
    },
  }
}

const FAILURES = [
  { code: 'provider_unavailable', isLate: false },
  { code: 'provider_rate_limit', isLate: false },
  { code: 'provider_unavailable', isLate: true },
] as const

const SILENCE = {
  recogniser: { recognise: async () => '' },
  synthesiser: { synthesise: async () => ({ samples: new Int16Array(160), sampleRate: 16_000 }) },
  close: async () => {},
}
