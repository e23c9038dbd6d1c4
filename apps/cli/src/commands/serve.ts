import { z } from 'zod'
import { PlatformError } from '@parley/contracts'
import { maskSecrets } from '@parley/engine'
import type { Environment } from '../environment.ts'
import { EXIT } from '../exit-code.ts'
import { createLogger } from '../log/create-logger.ts'
import { notify } from '../render/output.ts'
import { listenForStop } from '../up/keep-child.ts'
import { type RunCommand, parseOptions } from './command.ts'

export const refuseBareServe: RunCommand = async () => {
  throw new PlatformError('validation', {
    message: 'Name the service to run: `parley serve api`, `parley serve worker` or `parley serve voice`.',
    fix: '`parley up` runs all of them together.',
  })
}

export const serveApi: RunCommand = async ({ io, environment }) => {
  const { home, port, hosts, ownerToken } = environment
  const databaseUrl = requireDatabaseUrl(environment)
  if (ownerToken === undefined) {
    throw new PlatformError('config_invalid', {
      message: 'PARLEY_OWNER_TOKEN is not set.',
      fix: 'Set the same token for all processes: each start revokes the owner’s other tokens.',
    })
  }
  const [{ startApi }, { migrate }, { readJwtIssuer, openServerSettings }, voiceSettings] = await Promise.all(
    [
      import('@parley/api'),
      import('@parley/postgres'),
      import('../config/server-settings.ts'),
      import('../config/voice-settings.ts'),
    ],
  )
  const onNotice = (notice: string) => notify(io, notice)
  const { settings, close } = await openServerSettings(environment, onNotice)
  voiceSettings.requireSharedSecrets(environment)
  const voice = voiceSettings.createVoiceOpener(environment)
  const secrets = voiceSettings.joinSecrets(settings.secrets, voice.secrets)
  const sentryDsn = environment.variable('SENTRY_DSN')
  const stop = listenForStop()
  await migrate({ databaseUrl })
  const logger = createLogger('stdout', (line) => maskSecrets(line, secrets()))
  const api = await startApi({
    databaseUrl,
    home,
    port,
    hosts,
    ...(environment.publicUrl !== undefined && { publicUrl: environment.publicUrl }),
    ownerToken,
    logger,
    ...settings,
    secrets,
    voiceAt: (apiUrl) => voice.open({ apiUrl, onNotice }),
    ...(sentryDsn !== undefined && { sentryDsn }),
    ...readJwtIssuer(environment),
  })
  logger.info({ url: api.url }, 'ready')
  await stop.requested
  await api.stop()
  close()
  return EXIT.done
}

export const serveWorker: RunCommand = async ({ io, environment }) => {
  const databaseUrl = requireDatabaseUrl(environment)
  const { startWorker } = await import('../up/start-parts.ts')
  const stop = listenForStop()
  const worker = await startWorker(environment, {
    databaseUrl,
    createLogger: (mask) => createLogger('stdout', mask),
    onNotice: (notice) => notify(io, notice),
  })
  worker.logger.info('ready')
  await stop.requested
  await worker.stop()
  return EXIT.done
}

const VoiceOptions = z.object({
  host: z.union([z.ipv4(), z.ipv6()], 'must be an IP address, such as 0.0.0.0').optional(),
})

export const serveVoice: RunCommand = async (call) => {
  const { host } = parseOptions(VoiceOptions, call.options)
  const { io, environment } = call
  const databaseUrl = requireDatabaseUrl(environment)
  const { startVoiceProvider } = await import('../up/start-parts.ts')
  const stop = listenForStop()
  const partHost = {
    databaseUrl,
    createLogger: (mask?: (text: string) => string) => createLogger('stdout', mask),
    onNotice: (notice: string) => notify(io, notice),
  }
  const voice = await startVoiceProvider(environment, partHost, host)
  io.stdout.write(`ready ${JSON.stringify({ voiceUrl: voice.url })}\n`)
  await stop.requested
  await voice.stop()
  return EXIT.done
}

function requireDatabaseUrl({ databaseUrl }: Environment): string {
  if (databaseUrl !== undefined) return databaseUrl
  throw new PlatformError('config_invalid', {
    message: 'DATABASE_URL is not set.',
    fix: 'Set it to the Postgres that all processes share; `parley up` starts its own.',
  })
}
