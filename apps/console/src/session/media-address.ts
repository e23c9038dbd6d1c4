import type { MediaHandle, SessionId } from '@parley/contracts'

/** Where the bytes are that a session names. The browser asks for them as whoever has signed in. */
export const mediaAddress = (sessionId: SessionId, handle: MediaHandle): string =>
  `/v1/sessions/${encodeURIComponent(sessionId)}/media/${handle.slice('media://'.length)}`
