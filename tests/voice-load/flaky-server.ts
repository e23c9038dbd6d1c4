import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startApi } from '@parley/api'
import { CreatedShareLink, Reflection, Source } from '@parley/contracts'
import { elevenLabsProvider } from '@parley/elevenlabs'
import { freshDatabase } from '@parley/postgres/testing'
import { startVoice } from '@parley/voice-provider'
import { pino } from 'pino'
import { learn, rebuild } from '../../apps/api/src/testing/learn.ts'

const OWNER = 'made-up-token-of-the-owner'
const API_KEY = 'made-up-key-of-the-tests'

/** Asked once, so that each failure over HTTP is one of a start. */
const ONCE = { credential: { attempts: 1, attemptMs: 4_000, deadlineMs: 11_000 } }

const CREDENTIALS = 'GET /v1/convai/conversation/get*'

/** The API before the local provider, through the vendor's SDK, whose credentials can be made to fail over HTTP. */
export async function flakyServer() {
  const { databaseUrl, drop } = await freshDatabase()
  const home = await mkdtemp(join(tmpdir(), 'parley-load-'))
  const logger = pino({ level: 'silent' })
  const voice = await startVoice({ databaseUrl, port: 0, apiKey: API_KEY, logger, speech: SILENCE })
  const provider = elevenLabsProvider({ apiKey: API_KEY, baseUrl: voice.url, limits: ONCE })
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
  const faults = async (method: 'GET' | 'PUT', body?: object) => {
    const response = await fetch(`${voice.url}/parley/faults`, {
      method,
      headers: { 'xi-api-key': API_KEY, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return (await response.json()) as { readonly rules: readonly object[] }
  }
  return {
    databaseUrl,
    call,
    /** Credentials are answered so, each as often as it says. */
    fail: (answers: readonly { readonly status: number; readonly times: number }[]) =>
      faults('PUT', { rules: answers.map((answer) => ({ match: CREDENTIALS, ...answer })) }),
    /** Those that nobody has met yet. */
    failuresLeft: async () => (await faults('GET')).rules,
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

const SILENCE = {
  recogniser: { recognise: async () => '' },
  synthesiser: { synthesise: async () => ({ samples: new Int16Array(160), sampleRate: 16_000 }) },
  close: async () => {},
}
