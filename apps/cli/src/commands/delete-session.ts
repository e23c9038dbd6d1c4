import { PlatformError } from '@parley/contracts'
import { z } from 'zod'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { canAsk, confirm } from '../prompt/confirm.ts'
import { jsonLine } from '../render/json-line.ts'
import { quotedTitle } from '../render/quoted-title.ts'
import { tell } from '../render/tell.ts'
import { refuseOpenTurn } from '../session/refuse-open-turn.ts'
import { atSession } from './at-session.ts'
import type { CommandCall } from './command.ts'
import { parseOptions } from './parse-options.ts'

const DeleteOptions = z.object({ yes: z.boolean().default(false) })

/** Removes a session with all that was said in it, once the person has said so. */
export function deleteSession(call: CommandCall): Promise<ExitCode> {
  const { io, json, options } = call
  const { yes } = parseOptions(DeleteOptions, options)
  return atSession(call, async (session, config) => {
    const { id, view } = session
    refuseOpenTurn(view)
    if (!yes) {
      if (json || !canAsk(io)) throw unasked()
      const answer = await confirm(io, config, `Delete ${quotedTitle(view)} for good?`)
      if (answer !== 'yes') {
        tell(io.stdout, 'Nothing was deleted.')
        return EXIT.cancelled
      }
    }
    await session.remove()
    if (json) io.stdout.write(jsonLine({ sessionId: id, deleted: true }))
    else tell(io.stdout, `${quotedTitle(view)} is gone.`)
    return EXIT.done
  })
}

const unasked = () =>
  new PlatformError('validation', {
    message: 'A session is deleted only after a question, which cannot be asked here.',
    mend: 'Add --yes to delete it without being asked.',
  })
