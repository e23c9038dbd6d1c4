import { freshDatabase } from '@parley/postgres/testing'
import type { Speech } from '@parley/speech'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { startVoice, type VoiceOptions } from '../start-voice.ts'

export const API_KEY = 'sk_made_up_key_of_the_tests'

/** Starts a provider with its own database and without speech models, for one test. */
export async function startTestVoice(options: Partial<VoiceOptions> = {}) {
  const { databaseUrl, drop } = await freshDatabase()
  const logger = pino({ level: 'silent' })
  const voice = await startVoice({
    databaseUrl,
    port: 0,
    apiKey: API_KEY,
    logger,
    speech: SILENT_SPEECH,
    ...options,
  })
  const running = { ...voice, databaseUrl, stop: once(() => voice.stop()) }
  onTestFinished(async () => {
    await running.stop()
    await drop()
  })
  return running
}

const once = (work: () => Promise<void>) => {
  let done: Promise<void> | undefined
  return () => (done ??= work())
}

/** Recognises nothing and speaks silence. */
export const SILENT_SPEECH: Speech = {
  recogniser: { recognise: async () => '' },
  synthesiser: { synthesise: async () => ({ samples: new Int16Array(1_600), sampleRate: 16_000 }) },
  close: async () => {},
}
