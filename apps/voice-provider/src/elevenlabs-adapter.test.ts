import { once } from 'node:events'
import { createElevenLabsProvider } from '@parley/elevenlabs'
import { freshDatabase } from '@parley/postgres/testing'
import type { Speech } from '@parley/speech'
import { describeVoiceProvider, type VoiceProviderUnderTest } from '@parley/reflections/testing'
import { pino } from 'pino'
import { WebSocket } from 'ws'
import { startVoice } from './start-voice.ts'

const KEY = 'made-up-key-of-this-test'

describeVoiceProvider('the local provider, through ElevenLabs’ SDK', async () => {
  const database = await freshDatabase()
  const voice = await startVoice({
    databaseUrl: database.databaseUrl,
    port: 0,
    apiKey: KEY,
    logger: pino({ level: 'silent' }),
    speech: silence,
  })
  const under: VoiceProviderUnderTest = {
    provider: createElevenLabsProvider({ apiKey: KEY, baseUrl: voice.url }),
    stranger: createElevenLabsProvider({ apiKey: 'made-up-key-of-another', baseUrl: voice.url }),
    converse,
    connect,
    async close() {
      await voice.stop()
      await database.drop()
    },
  }
  return under
})

const SPOKEN_MS = 10

/** Recognises nothing, and speaks everything instantly. */
const silence: Speech = {
  recogniser: { recognise: async () => '' },
  synthesiser: {
    synthesise: async () => ({ samples: new Int16Array(SPOKEN_MS * 16), sampleRate: 16_000 }),
  },
  close: async () => {},
}

/** Waits for the end of the greeting, because speaking earlier would interrupt it. */
async function converse(
  signedUrl: string,
  say: string,
  variables: Readonly<Record<string, string>>,
): Promise<void> {
  const socket = new WebSocket(signedUrl, 'convai')
  const closed = once(socket, 'close')
  const send = (message: object) => socket.send(JSON.stringify(message))
  let isGreeted = false
  socket.on('message', (data: Buffer) => {
    const { type } = JSON.parse(data.toString()) as { readonly type: string }
    if (type === 'audio' && !isGreeted) {
      isGreeted = true
      setTimeout(() => send({ type: 'user_message', text: say }), SPOKEN_MS + 10)
    } else if (type === 'agent_response' && isGreeted) {
      socket.close(1000)
    }
  })
  await once(socket, 'open')
  send({ type: 'conversation_initiation_client_data', dynamic_variables: variables })
  await closed
}

async function connect(signedUrl: string, variables: Readonly<Record<string, string>>) {
  const socket = new WebSocket(signedUrl, 'convai')
  const closed = once(socket, 'close').then(() => undefined)
  await once(socket, 'open')
  const greeted = once(socket, 'message')
  socket.send(JSON.stringify({ type: 'conversation_initiation_client_data', dynamic_variables: variables }))
  await greeted
  return { closed }
}
