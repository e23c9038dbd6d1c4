import { setTimeout as pause } from 'node:timers/promises'
import { PlatformError, type OpenTurn, type SessionId } from '@parley/contracts'
import type { Sessions, SessionStore } from '@parley/engine'
import { openIdleSessions } from '../compose.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { jsonLine } from '../render/json-line.ts'
import { quotedTitle } from '../render/quoted-title.ts'
import { tell } from '../render/tell.ts'
import { atSession } from './at-session.ts'
import type { CommandCall } from './command.ts'

/** Stops the answer that is under way in a conversation, in whatever terminal, and waits until it has stopped. */
export function cancelSession(call: CommandCall): Promise<ExitCode> {
  const { io, json } = call
  return atSession(call, async ({ record, store, history, config }) => {
    const { session, openTurn } = record
    const sessions = await openIdleSessions(history, config)
    const cancelled = openTurn !== undefined && (await sessions.cancel(session.id))
    if (cancelled) await untilStopped(session.id, openTurn, { sessions, store })
    if (json) io.stdout.write(jsonLine({ sessionId: session.id, cancelled }))
    else
      tell(
        io.stdout,
        `${cancelled ? 'Stopped the answer' : 'Nothing is being answered'} in ${quotedTitle(record)}.`,
      )
    return EXIT.done
  })
}

const LONGEST_WAIT = 10_000
const BETWEEN_LOOKS = 50

async function untilStopped(
  sessionId: SessionId,
  { turnId }: OpenTurn,
  { sessions, store }: { sessions: Sessions; store: SessionStore },
): Promise<void> {
  const deadline = Date.now() + LONGEST_WAIT
  for (;;) {
    const open = (await store.find(sessionId))?.openTurn
    if (open?.turnId !== turnId) return
    // It came to wait for a person, or its process died, before it was told to stop.
    if (open.state !== 'running') await sessions.cancel(sessionId)
    else if (Date.now() > deadline) throw stillRunning(sessionId)
    await pause(BETWEEN_LOOKS)
  }
}

const stillRunning = (sessionId: SessionId) =>
  new PlatformError('session_busy', {
    message: `The program that answers was asked to stop, and has not within ${LONGEST_WAIT / 1_000} s.`,
    mend: 'It may be suspended: end it in its own terminal.',
    sessionId,
  })
