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
  return atSession(call, async (session) => {
    const wasEnded = session.view.status === 'ended'
    if (!wasEnded) {
      refuseOpenTurn(session.view)
      await session.end()
    }
    const ended = await session.look()
    if (json) io.stdout.write(jsonLine(ended))
    else tell(io.stdout, `${quotedTitle(ended)} ${wasEnded ? 'had ended already' : 'has ended'}.`)
    return EXIT.done
  })
}
