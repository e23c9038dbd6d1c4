import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { PlatformError, type SessionView } from '@parley/contracts'
import type { CommandCall } from '../commands/command.ts'
import { type AtServer, atServerIfAny } from '../reflection/at-server.ts'
import { readConfig } from '../config.ts'
import { findById } from './find-by-id.ts'

/** The session at the Parley that runs. Throws that it is not here, with where else there may be some, where it is not there. */
export async function findThere(
  given: string | undefined,
  notHere: PlatformError,
  call: Pick<CommandCall, 'io'>,
): Promise<{ readonly view: SessionView; readonly server: AtServer }> {
  const server = await atServerIfAny(call)
  if (!server) throw maybeThere(notHere, readConfig(call.io.environment).home)
  if (given === undefined) throw mendedBy(notHere, `\`parley chat\` starts one. ${SEE_THOSE}`)
  const { sessions } = server.client
  const found = await findById(
    {
      find: (id) => sessions.get(id).catch(unlessMissing),
      list: (page) => sessions.list({ ...page, whose: 'all' }),
      called: (view) => view,
    },
    given,
  )
  if (found) return { view: await sessions.get(found.id), server }
  throw new PlatformError('session_not_found', {
    message: `There is no session whose id begins with "${given}", neither on this machine nor at the Parley that runs.`,
    mend: `\`parley sessions\` lists those of this machine. ${SEE_THOSE}`,
    given,
  })
}

const SEE_THOSE = '`parley sessions --server` lists those of the Parley that runs.'

/** What was ever served from this data folder is there again once it is served. */
const maybeThere = (notHere: PlatformError, home: string): PlatformError =>
  existsSync(join(home, 'postgres'))
    ? mendedBy(
        notHere,
        '`parley sessions` lists those of this machine. Those with reflections and of the browser can be had while Parley runs: `parley up`.',
      )
    : notHere

const mendedBy = (failure: PlatformError, mend: string): PlatformError =>
  new PlatformError(failure.code, { ...failure.detail, mend }, { cause: failure })

function unlessMissing(failure: unknown): undefined {
  if (failure instanceof PlatformError && failure.code === 'session_not_found') return undefined
  throw failure
}
