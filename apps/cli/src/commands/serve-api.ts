import { PlatformError } from '@parley/contracts'
import { startApi } from '@parley/api'
import { migrate } from '@parley/postgres'
import { readConfig } from '../config.ts'
import { maskSecrets } from '@parley/engine'
import { jwtIssuerOf } from '../config/jwt-issuer.ts'
import { openServerSettings } from '../config/server-settings.ts'
import { createVoiceOpener, requireSharedSecrets, withSecrets } from '../config/voice-settings.ts'
import { EXIT } from '../exit-code.ts'
import { createLogger } from '../log/create-logger.ts'
import { tell } from '../render/tell.ts'
import { stopSignal } from '../up/stop-signal.ts'
import type { RunCommand } from './command.ts'

/** One API process of many, on a Postgres that is there; its log goes to standard output. */
export const serveApi: RunCommand = async ({ io }) => {
  const config = readConfig(io.environment)
  const { databaseUrl, home, port, hosts, ownerToken: set } = config
  if (databaseUrl === undefined) {
    throw new PlatformError('config_invalid', {
      message: 'DATABASE_URL is not set.',
      mend: 'Set it to the Postgres that all processes share; `parley up` brings its own.',
    })
  }
  if (set === undefined) {
    throw new PlatformError('config_invalid', {
      message: 'PARLEY_OWNER_TOKEN is not set.',
      mend: 'Set it to the same token for all processes: each start makes it the owner’s only one.',
    })
  }
  const onNotice = (notice: string) => tell(io.stderr, `parley: ${notice}`)
  const { settings, close } = await openServerSettings(config, onNotice)
  requireSharedSecrets(config)
  const voice = createVoiceOpener(config)
  const secrets = withSecrets(settings.secrets, voice.secrets)
  const sentryDsn = config.variable('SENTRY_DSN')
  const stop = stopSignal()
  await migrate({ databaseUrl })
  const logger = createLogger('stdout', (line) => maskSecrets(line, secrets()))
  const api = await startApi({
    databaseUrl,
    home,
    port,
    hosts,
    ...(config.publicUrl !== undefined && { publicUrl: config.publicUrl }),
    ownerToken: set,
    logger,
    ...settings,
    secrets,
    voiceAt: (apiUrl) => voice.open({ apiUrl, onNotice }),
    ...(sentryDsn !== undefined && { sentryDsn }),
    ...jwtIssuerOf(config),
  })
  logger.info({ url: api.url }, 'ready')
  await stop.asked
  await api.stop()
  close()
  return EXIT.done
}
