import { PlatformError } from '@parley/contracts'
import { startBundledPostgres, psqlUrlAs } from '@parley/postgres'
import { z } from 'zod'
import { type Config, readConfig } from '../config.ts'
import { EXIT } from '../exit-code.ts'
import { jsonLine } from '../render/json-line.ts'
import { tell } from '../render/tell.ts'
import { liveRun } from '../up/run-file.ts'
import type { RunCommand } from './command.ts'
import { parseOptions } from './parse-options.ts'

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
