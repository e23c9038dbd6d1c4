import { sessionView } from '@parley/engine'
import { openIdleSessions } from '../compose.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { jsonLine } from '../render/json-line.ts'
import { quotedTitle } from '../render/quoted-title.ts'
import { tell } from '../render/tell.ts'
import { refuseOpenTurn } from '../session/refuse-open-turn.ts'
import { atSession } from './at-session.ts'
import type { CommandCall } from './command.ts'

/** Ends a conversation: it is kept, and nothing more can be said in it. */
export function endSession(call: CommandCall): Promise<ExitCode> {
  const { io, json } = call
  return atSession(call, async ({ record: found, store, history, config }) => {
    const { id, status } = found.session
    const wasEnded = status === 'ended'
    if (!wasEnded) {
      refuseOpenTurn(found)
      const sessions = await openIdleSessions(history, config)
      await sessions.end(id)
    }
    const record = (await store.find(id)) ?? found
    if (json) io.stdout.write(jsonLine(sessionView(record)))
    else tell(io.stdout, `${quotedTitle(record)} ${wasEnded ? 'had ended already' : 'has ended'}.`)
    return EXIT.done
  })
}
