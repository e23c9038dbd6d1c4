import { maskSecrets } from '@parley/engine'
import { migrate } from '@parley/postgres'
import { openSpeech } from '@parley/offline-speech'
import { startVoice } from '@parley/voice-provider'
import type { Config } from '../config.ts'
import { openServerSettings } from '../config/server-settings.ts'
import { keptSecret, VOICE_KEY } from './kept-secret.ts'
import type { PartHost } from './start-worker.ts'

/** The local voice provider, with the models of the person's config; it listens on loopback where no address is given. */
export async function startVoiceProvider(config: Config, host: PartHost, address?: string) {
  const { home, voicePort, hosts } = config
  const { databaseUrl, onNotice } = host
  const { settings, close } = await openServerSettings(config, onNotice)
  await migrate({ databaseUrl })
  const apiKey = await keptSecret(VOICE_KEY, { home, set: config.variable('ELEVENLABS_API_KEY'), onNotice })
  const secrets = () => [...settings.secrets(), { name: 'ELEVENLABS_API_KEY', value: apiKey }]
  const logger = host.createLogger((line) => maskSecrets(line, secrets()))
  const speech = openSpeech({ onError: (err) => logger.error({ err }, 'speech') })
  // The recogniser takes 450 MB: it is loaded when the first caller is about to connect, and is ready before they have spoken.
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
    providers: settings.served().providers,
    speech,
    onAwaited: () => void (loading ??= load()),
  })
  return {
    url: voice.url,
    async stop() {
      await voice.stop()
      close()
    },
  }
}
