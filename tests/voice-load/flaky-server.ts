import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startApi } from '@parley/api'
import { CreatedShareLink, Reflection, Source } from '@parley/contracts'
import { createElevenLabsProvider } from '@parley/elevenlabs'
import { freshDatabase } from '@parley/postgres/testing'
import { startVoice } from '@parley/voice-provider'
import { pino } from 'pino'
import { learn, rebuild } from '../../apps/api/src/testing/learn.ts'
import { SILENT_SPEECH } from '../../apps/voice-provider/src/testing/test-voice.ts'
import { callAsOwner, OWNER_TOKEN } from '../support/call-api.ts'

const API_KEY = 'made-up-key-of-the-tests'

/** No retries, so that each HTTP failure fails one start. */
const ONCE = { credential: { attempts: 1, attemptMs: 4_000, deadlineMs: 11_000 } }

const CREDENTIALS = 'GET /v1/convai/conversation/get*'

/** The API and the local provider behind the vendor's SDK. Requests for credentials can be made to fail. */
export async function startFlakyServer() {
  const { databaseUrl, drop } = await freshDatabase()
  const home = await mkdtemp(join(tmpdir(), 'parley-load-'))
  const logger = pino({ level: 'silent' })
  const voice = await startVoice({ databaseUrl, port: 0, apiKey: API_KEY, logger, speech: SILENT_SPEECH })
  const provider = createElevenLabsProvider({ apiKey: API_KEY, baseUrl: voice.url, limits: ONCE })
  const api = await startApi({
    databaseUrl,
    home,
    port: 0,
    ownerToken: OWNER_TOKEN,
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
  const callApi = (method: string, path: string, body?: unknown) => callAsOwner(api.url, method, path, body)
  const requestFaults = async (method: 'GET' | 'PUT', body?: object) => {
    const response = await fetch(`${voice.url}/parley/faults`, {
      method,
      headers: { 'xi-api-key': API_KEY, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return (await response.json()) as { readonly rules: readonly object[] }
  }
  return {
    databaseUrl,
    call: callApi,
    /** Sets the status codes for requests of credentials. */
    fail: (answers: readonly { readonly status: number; readonly times: number }[]) =>
      requestFaults('PUT', { rules: answers.map((answer) => ({ match: CREDENTIALS, ...answer })) }),
    /** Failures that were not used yet. */
    failuresLeft: async () => (await requestFaults('GET')).rules,
    /** Creates one with a private and a public namespace, and a voice. */
    async reflection() {
      const { id } = Reflection.parse(
        (await callApi('POST', '/reflections', { displayName: 'Ada Winter' })).answer,
      )
      const path = `/reflections/${id}`
      await callApi('PATCH', path, { voice: { voiceId: 'slt', kind: 'stock' } })
      for (const namespace of ['diary', 'essays']) {
        await callApi('POST', `${path}/namespaces`, { name: namespace })
        const body = { title: namespace, namespace, text: `I live in the ${namespace}. I like rowing.` }
        await learn(databaseUrl, Source.parse((await callApi('POST', `${path}/sources`, body)).answer).id)
      }
      await callApi('POST', `${path}/publish`, { namespaces: ['essays'] })
      await rebuild(databaseUrl, id)
      return id
    },
    link: async (reflectionId: string) =>
      CreatedShareLink.parse((await callApi('POST', `/reflections/${reflectionId}/share-links`, {})).answer),
    async [Symbol.asyncDispose]() {
      await api.stop()
      await voice.stop()
      await drop()
      await rm(home, { recursive: true, force: true })
    },
  }
}
