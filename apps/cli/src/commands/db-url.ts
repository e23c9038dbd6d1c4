import { z } from 'zod'
import { PlatformError } from '@parley/contracts'
import { toPsqlUrl, startBundledPostgres } from '@parley/postgres'
import type { Environment } from '../environment.ts'
import { EXIT } from '../exit-code.ts'
import { toJsonLine, printMessage } from '../render/output.ts'
import { findRunningServer } from '../up/run-file.ts'
import { type RunCommand, parseOptions } from './command.ts'

const LOGINS = ['serving', 'learning', 'public', 'member', 'provider'] as const
const UrlOptions = z.object({ role: z.enum(LOGINS, `must be ${LOGINS.join(', ')}`) })

export const refuseBareDb: RunCommand = async () => {
  throw new PlatformError('validation', {
    message: 'Name a subcommand, such as: parley db url --role serving.',
  })
}

export const printDatabaseUrl: RunCommand = async ({ io, json, options, environment }) => {
  const { role } = parseOptions(UrlOptions, options)
  const url = toPsqlUrl(
    environment.databaseUrl ??
      (await findBundledUrl(environment, (notice) => printMessage(io.stderr, notice))),
    `parley_${role}`,
  )
  io.stdout.write(json ? toJsonLine({ role, url }) : `${url}\n`)
  return EXIT.done
}

/** Finds the bundled server without starting it. */
async function findBundledUrl({ home }: Environment, onNotice: (notice: string) => void): Promise<string> {
  if (await findRunningServer(home)) return (await startBundledPostgres({ home, onNotice })).url
  throw new PlatformError('server_unreachable', {
    message: `Parley is not running on the data in ${home}, so its database is not running either.`,
    fix: 'Start it in another terminal with `parley up`, or set DATABASE_URL to another database.',
  })
}
