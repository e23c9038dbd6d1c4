import type { SessionMessage, SessionView } from '@parley/contracts'
import { reconstructSessionState } from '@parley/engine'
import { shortId } from './short-id.ts'

/** What a person who comes back has to know of the last turn, and what they can do about it. */
export function resumeNote(
  { id: sessionId, openTurn }: Pick<SessionView, 'id' | 'openTurn'>,
  messages: readonly SessionMessage[],
): string | undefined {
  const id = shortId(sessionId)
  const goOn = `\`parley resume ${id} --continue\` goes on with it, or just say something.`
  const state = openTurn?.state
  switch (state) {
    case 'running':
      return (
        'This session is being answered in another terminal right now: what you type has to wait until that ' +
        `is done, or stop it with \`parley sessions cancel ${id}\`.`
      )
    case 'waiting':
      return undefined
    case 'interrupted':
      return `The last answer was interrupted, and your message is kept: ${goOn}`
    case undefined:
      return reconstructSessionState(messages).at(-1)?.outcome === 'rolled-back'
        ? `Your last message has no answer: ${goOn}`
        : undefined
    default:
      return state satisfies never
  }
}
