import { z } from 'zod'
import { PlatformError } from '@parley/contracts'
import { psqlUrlAs, startBundledPostgres } from '@parley/postgres'
import { type Config, readConfig } from '../config.ts'
import { EXIT } from '../exit-code.ts'
import { jsonLine, tell } from '../render/output.ts'
import { liveRun } from '../up/run-file.ts'
import { type RunCommand, parseOptions } from './command.ts'

const ROLES = ['serving', 'learning', 'public', 'member', 'provider'] as const
const UrlOptions = z.object({ role: z.enum(ROLES, `must be ${ROLES.join(', ')}`) })

/** `db` by itself does not say what is wanted. */
export const database: RunCommand = async () => {
  throw new PlatformError('validation', {
    message: 'Say what you want of the database: `parley db url --role serving`.',
  })
}

/** Prints the address of the database for one of its roles, to who may read the data folder. */
export const databaseUrl: RunCommand = async ({ io, json, options }) => {
  const config = readConfig(io.environment)
  const { role } = parseOptions(UrlOptions, options)
  const url = psqlUrlAs(
    config.databaseUrl ?? (await bundled(config, (notice) => tell(io.stderr, notice))),
    `parley_${role}`,
  )
  io.stdout.write(json ? jsonLine({ role, url }) : `${url}\n`)
  return EXIT.done
}

/** The server that comes with Parley is only looked for, not started. */
async function bundled({ home }: Config, onNotice: (notice: string) => void): Promise<string> {
  if (await liveRun(home)) return (await startBundledPostgres({ home, onNotice })).url
  throw new PlatformError('server_unreachable', {
    message: `No Parley runs on the data in ${home}, so neither does its database.`,
    mend: 'Start it in another terminal: `parley up`. For another database, set DATABASE_URL.',
  })
}
