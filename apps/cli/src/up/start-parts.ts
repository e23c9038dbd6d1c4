import type { Logger } from 'pino'
import { maskSecrets } from '@parley/engine'
import { migrate } from '@parley/postgres'
import type { Environment } from '../environment.ts'
import { openLearningSettings, openServerSettings } from '../config/server-settings.ts'
import { VOICE_KEY, ensureSecret } from './run-file.ts'

interface PartHost {
  readonly databaseUrl: string
  readonly createLogger: (mask?: (text: string) => string) => Logger
  readonly onNotice: (notice: string) => void
}

export async function startWorker(
  environment: Environment,
  { databaseUrl, createLogger, onNotice }: PartHost,
) {
  const { startWorkerProcess } = await import('@parley/worker')
  const { model, embedder, mask, close } = await openLearningSettings(environment, onNotice)
  await migrate({ databaseUrl })
  const logger = createLogger(mask)
  const worker = await startWorkerProcess({
    databaseUrl,
    logger,
    ...(model && { model }),
    ...(embedder && { embedder }),
    ...(mask && { mask }),
  })
  return {
    logger,
    async stop() {
      await worker.stop()
      close()
    },
  }
}

/** Starts the local voice provider with the models of the user's config; it listens on loopback by default. */
export async function startVoiceProvider(environment: Environment, host: PartHost, address?: string) {
  const [{ openSpeech }, { startVoice }] = await Promise.all([
    import('@parley/offline-speech'),
    import('@parley/voice-provider'),
  ])
  const { home, voicePort, hosts } = environment
  const { databaseUrl, onNotice } = host
  const { settings, close } = await openServerSettings(environment, onNotice)
  await migrate({ databaseUrl })
  const apiKey = await ensureSecret(VOICE_KEY, {
    home,
    set: environment.variable('ELEVENLABS_API_KEY'),
    onNotice,
  })
  const secrets = () => [...settings.secrets(), { name: 'ELEVENLABS_API_KEY', value: apiKey }]
  const logger = host.createLogger((line) => maskSecrets(line, secrets()))
  const speech = openSpeech({ onError: (err) => logger.error({ err }, 'speech') })
  // The recogniser takes 450 MB, so it loads just before the first caller connects.
  let loading: Promise<void> | undefined
  const load = () =>
    speech.warmUp().then(
      () => logger.info('speech is loaded'),
      () => {
        logger.warn('speech is not loaded yet')
        loading = undefined
      },
    )
  const voice = await startVoice({
    databaseUrl,
    port: voicePort,
    ...(address !== undefined && { host: address }),
    hosts: address === undefined ? hosts : [...hosts, address.includes(':') ? `[${address}]` : address],
    apiKey,
    logger,
    providers: settings.readServedModels().providers,
    speech,
    onCallExpected: () => void (loading ??= load()),
  })
  return {
    url: voice.url,
    async stop() {
      await voice.stop()
      close()
    },
  }
}
