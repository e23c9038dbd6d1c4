import type { SessionRecord, SessionStore } from '@parley/engine'
import type { History } from '@parley/history'
import { openLocalHistory } from '../compose.ts'
import { type Config, readConfig } from '../config.ts'
import type { ExitCode } from '../exit-code.ts'
import { tell } from '../render/tell.ts'
import { findSession } from '../session/find-session.ts'
import type { CommandCall } from './command.ts'

interface AtSession {
  readonly record: SessionRecord
  readonly store: SessionStore
  readonly history: History
  readonly config: Config
}

/** Works at the session that a command names first, with the history open meanwhile. */
export async function atSession(
  { io, positionals }: CommandCall,
  work: (at: AtSession) => Promise<ExitCode>,
): Promise<ExitCode> {
  const config = readConfig(io.environment)
  const history = await openLocalHistory(config, (notice) => tell(io.stderr, `parley: ${notice}`))
  try {
    const { store } = history
    return await work({ record: await findSession(store, positionals[0]), store, history, config })
  } finally {
    history.close()
  }
}
