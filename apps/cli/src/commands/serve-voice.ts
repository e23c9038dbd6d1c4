import { PlatformError } from '@parley/contracts'
import { z } from 'zod'
import { readConfig } from '../config.ts'
import { EXIT } from '../exit-code.ts'
import { createLogger } from '../log/create-logger.ts'
import { tell } from '../render/tell.ts'
import { startVoiceProvider } from '../up/start-voice-provider.ts'
import { stopSignal } from '../up/stop-signal.ts'
import type { RunCommand } from './command.ts'
import { parseOptions } from './parse-options.ts'

/** The local voice provider alone, on a Postgres that is there; its log goes to standard output. */
export const serveVoice: RunCommand = async ({ io, options }) => {
  const { host } = parseOptions(ServeOptions, options)
  const config = readConfig(io.environment)
  const { databaseUrl } = config
  if (databaseUrl === undefined) {
    throw new PlatformError('config_invalid', {
      message: 'DATABASE_URL is not set.',
      mend: 'Set it to the Postgres that all processes share; `parley up` brings its own.',
    })
  }
  const stop = stopSignal()
  const partHost = {
    databaseUrl,
    createLogger: (mask?: (text: string) => string) => createLogger('stdout', mask),
    onNotice: (notice: string) => tell(io.stderr, `parley: ${notice}`),
  }
  const voice = await startVoiceProvider(config, partHost, host)
  io.stdout.write(`ready ${JSON.stringify({ voiceUrl: voice.url })}\n`)
  await stop.asked
  await voice.stop()
  return EXIT.done
}

const ServeOptions = z.object({
  host: z.union([z.ipv4(), z.ipv6()], 'must be an IP address, such as 0.0.0.0').optional(),
})
