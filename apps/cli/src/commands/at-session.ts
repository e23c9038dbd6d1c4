import { openLocalHistory } from '../compose.ts'
import { type Config, readConfig } from '../config.ts'
import type { ExitCode } from '../exit-code.ts'
import { tell } from '../render/tell.ts'
import { findAnywhere } from '../session/find-anywhere.ts'
import { type NamedSession, sessionHere } from '../session/named-session.ts'
import type { CommandCall } from './command.ts'

/** Works at the session that a command names first, here or at the Parley that runs, with the history open meanwhile. */
export async function atSession(
  call: CommandCall,
  work: (session: NamedSession, config: Config) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { io, positionals } = call
  const config = readConfig(io.environment)
  const history = await openLocalHistory(config, (notice) => tell(io.stderr, `parley: ${notice}`))
  try {
    const found = await findAnywhere(history.store, positionals[0], call)
    if (found.kind === 'here') return await work(sessionHere(found.record, history, config), config)
    const { sessionThere } = await import('../session/session-there.ts')
    return await work(await sessionThere(found.view, found.server.client), config)
  } finally {
    history.close()
  }
}
