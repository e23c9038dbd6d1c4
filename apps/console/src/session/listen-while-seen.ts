import type { SessionReader } from './session-reader.ts'

/** Opens a session for as long as its page is there, and listens to it while somebody looks. Returns how to leave it. */
export function listenWhileSeen(
  reader: Pick<SessionReader, 'open' | 'pause' | 'goOnListening'>,
  meanwhile?: Parameters<SessionReader['open']>[0],
): () => void {
  const look = () => (document.hidden ? reader.pause() : reader.goOnListening())
  if (!document.hidden) reader.open(meanwhile)
  document.addEventListener('visibilitychange', look)
  return () => {
    document.removeEventListener('visibilitychange', look)
    reader.pause()
  }
}
