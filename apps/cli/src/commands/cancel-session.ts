import { setTimeout as pause } from 'node:timers/promises'
import { PlatformError, type OpenTurn, type SessionId } from '@parley/contracts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { jsonLine } from '../render/json-line.ts'
import { quotedTitle } from '../render/quoted-title.ts'
import { tell } from '../render/tell.ts'
import type { NamedSession } from '../session/named-session.ts'
import { atSession } from './at-session.ts'
import type { CommandCall } from './command.ts'

/** Stops the answer that is under way in a conversation, in whatever terminal, and waits until it has stopped. */
export function cancelSession(call: CommandCall): Promise<ExitCode> {
  const { io, json } = call
  return atSession(call, async (session) => {
    const { openTurn } = session.view
    const cancelled = openTurn !== undefined && (await session.cancel())
    if (cancelled) await untilStopped(session, openTurn)
    if (json) io.stdout.write(jsonLine({ sessionId: session.id, cancelled }))
    else
      tell(
        io.stdout,
        `${cancelled ? 'Stopped the answer' : 'Nothing is being answered'} in ${quotedTitle(session.view)}.`,
      )
    return EXIT.done
  })
}

const LONGEST_WAIT = 10_000
const BETWEEN_LOOKS = 50

async function untilStopped(session: NamedSession, { turnId }: OpenTurn): Promise<void> {
  const deadline = Date.now() + LONGEST_WAIT
  for (;;) {
    const open = (await session.look()).openTurn
    if (open?.turnId !== turnId) return
    // It came to wait for a person, or its process died, before it was told to stop.
    if (open.state !== 'running') await session.cancel()
    else if (Date.now() > deadline) throw stillRunning(session.id)
    await pause(BETWEEN_LOOKS)
  }
}

const stillRunning = (sessionId: SessionId) =>
  new PlatformError('session_busy', {
    message: `The program that answers was asked to stop, and has not within ${LONGEST_WAIT / 1_000} s.`,
    mend: 'It may be suspended: end it in its own terminal.',
    sessionId,
  })
