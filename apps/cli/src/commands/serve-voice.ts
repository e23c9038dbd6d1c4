import { PlatformError } from '@parley/contracts'
import { maskSecrets } from '@parley/engine'
import { migrate } from '@parley/postgres'
import { openSpeech } from '@parley/speech'
import { startVoice } from '@parley/voice-provider'
import { z } from 'zod'
import { readConfig } from '../config.ts'
import { openServerSettings } from '../config/server-settings.ts'
import { EXIT } from '../exit-code.ts'
import { createLogger } from '../log/create-logger.ts'
import { tell } from '../render/tell.ts'
import { keptSecret, VOICE_KEY } from '../up/kept-secret.ts'
import { stopSignal } from '../up/stop-signal.ts'
import type { RunCommand } from './command.ts'
import { parseOptions } from './parse-options.ts'

/** The local voice provider alone, on a Postgres that is there; its log goes to standard output. */
export const serveVoice: RunCommand = async ({ io, options }) => {
  const { host } = parseOptions(ServeOptions, options)
  const config = readConfig(io.environment)
  const { databaseUrl, home, voicePort, hosts } = config
  if (databaseUrl === undefined) {
    throw new PlatformError('config_invalid', {
      message: 'DATABASE_URL is not set.',
      mend: 'Set it to the Postgres that all processes share; `parley up` brings its own.',
    })
  }
  const onNotice = (notice: string) => tell(io.stderr, `parley: ${notice}`)
  const { settings, close } = await openServerSettings(config, onNotice)
  const stop = stopSignal()
  await migrate({ databaseUrl })
  const apiKey = await keptSecret(VOICE_KEY, { home, set: config.variable('ELEVENLABS_API_KEY'), onNotice })
  const secrets = () => [...settings.secrets(), { name: 'ELEVENLABS_API_KEY', value: apiKey }]
  const logger = createLogger('stdout', (line) => maskSecrets(line, secrets()))
  const { providers } = settings.served()
  const speech = openSpeech({ onError: (err) => logger.error({ err }, 'speech') })
  // What hears takes 450 MB: it is loaded when the first caller is about to come, and is there before they have spoken.
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
    ...(host !== undefined && { host }),
    hosts: host === undefined ? hosts : [...hosts, host.includes(':') ? `[${host}]` : host],
    apiKey,
    logger,
    providers,
    speech,
    onAwaited: () => void (loading ??= load()),
  })
  io.stdout.write(`ready ${JSON.stringify({ voiceUrl: voice.url })}\n`)
  await stop.asked
  await voice.stop()
  close()
  return EXIT.done
}

const ServeOptions = z.object({
  host: z.union([z.ipv4(), z.ipv6()], 'must be an IP address, such as 0.0.0.0').optional(),
})
