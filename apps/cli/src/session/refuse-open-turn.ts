import { PlatformError, type SessionView } from '@parley/contracts'
import { shortId } from './short-id.ts'

/** Throws while a turn is alive, for its person to stop; one whose process died is nobody's. */
export function refuseOpenTurn({ id: sessionId, openTurn }: Pick<SessionView, 'id' | 'openTurn'>): void {
  const stop = `\`parley sessions cancel ${shortId(sessionId)}\``
  if (openTurn?.state === 'running') {
    throw new PlatformError('session_busy', {
      message: 'This session is being answered right now, in another terminal.',
      mend: `Wait until it is done, or stop it: ${stop}.`,
      sessionId,
    })
  }
  if (openTurn?.state === 'waiting') {
    throw new PlatformError('session_busy', {
      message: 'The last answer of this session waits for your word.',
      mend: `\`parley resume ${shortId(sessionId)}\` asks you, ${stop} gives it up.`,
      sessionId,
    })
  }
}
