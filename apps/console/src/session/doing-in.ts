import type { OpenSession } from './session-state.ts'

/** What goes on in a session, as far as who writes in it has to know. */
export function doingIn({ transcript, stopping, outbox }: OpenSession) {
  if (stopping) return 'stopping'
  const { openTurn } = transcript
  if (openTurn && openTurn.state !== 'interrupted') return 'answering'
  return outbox.some(({ state }) => state !== 'failed') ? 'sending' : 'nothing'
}
